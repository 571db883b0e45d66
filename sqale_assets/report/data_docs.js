"use strict";
// What is left of Bootstrap's and Great Expectations' scripts: folding, and showing the failed expectations alone.
for (const link of document.querySelectorAll('[data-toggle="collapse"]')) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    document.querySelector(link.getAttribute("href")).classList.toggle("show");
  });
}
for (const mark of document.querySelectorAll(".hide-succeeded-validation-target-child")) mark.parentElement.classList.add("succeeded");
for (const mark of document.querySelectorAll(".hide-succeeded-validations-column-section-target-child")) {
  const section = mark.parentElement.parentElement;
  section.classList.add("succeeded");
  document.querySelector(`a[href$="#${section.id}"]`)?.classList.add("succeeded");
}
function showAllValidations() { document.body.classList.remove("failed-only"); }
function hideSucceededValidations() { document.body.classList.add("failed-only"); }
