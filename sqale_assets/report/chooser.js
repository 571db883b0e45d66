"use strict";
// What the pages with records to choose from share: elements, tables, the theme, and a list that filters go over.
// Text goes in through textContent; only our own SVG and highlighted SQL are HTML.
const element = (name, text, className) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
};

const html = (name, markup, className) => {
  const made = element(name, undefined, className);
  made.innerHTML = markup;
  return made;
};

const words = (text) => text.replaceAll("_", " ");

const resultTable = ({columns, rows}) => {
  const table = element("table");
  const head = table.createTHead().insertRow();
  for (const column of columns) head.append(element("th", column));
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const value of row) line.append(element("td", value === null ? "NULL" : String(value)));
  }
  const wide = element("div", undefined, "wide");
  wide.append(table);
  return wide;
};

// The list beside the record: `matches` filters, `label` gives [text, small print], `show` draws what was chosen.
const chooser = ({records, what, matches, label, show}) => {
  const root = document.documentElement;
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  const form = document.getElementById("filters");
  const list = document.getElementById("list");
  const refresh = () => {
    const found = records.filter(matches);
    document.getElementById("count").textContent = `${found.length} of ${records.length} sampled ${what}s`;
    list.replaceChildren(...found.map((record) => {
      const [text, small] = label(record);
      const button = element("button", text);
      button.type = "button";
      button.append(element("small", small));
      button.addEventListener("click", () => {
        for (const other of list.querySelectorAll("button")) other.removeAttribute("aria-current");
        button.setAttribute("aria-current", "true");
        show(record);
      });
      const item = element("li");
      item.append(button);
      return item;
    }));
    const first = list.querySelector("button");
    if (first) first.click();
    else document.getElementById("record").replaceChildren(element("p", `No sampled ${what} is like that.`));
  };
  form.addEventListener("input", refresh);
  refresh();
};
