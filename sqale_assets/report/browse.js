"use strict";
// Filters and shows the example records, by chooser.js.
(() => {
  const records = JSON.parse(document.getElementById("records").textContent);
  const form = document.getElementById("filters");
  const view = document.getElementById("record");

  for (const field of ["domain", "difficulty"]) {
    const values = [...new Set(records.map((record) => record[field]))];
    if (field === "domain") values.sort();
    for (const value of values) form.elements[field].append(new Option(value, value));
  }

  const matches = (record) => {
    const [least, most] = (form.elements.size.value || "0-99999").split("-").map(Number);
    return (!form.elements.domain.value || record.domain === form.elements.domain.value)
      && (!form.elements.difficulty.value || record.difficulty === form.elements.difficulty.value)
      && record.schema_tables >= least && record.schema_tables <= most;
  };

  const definitions = (pairs) => {
    const made = element("dl");
    for (const [term, text] of pairs) made.append(element("dt", term), element("dd", text));
    return made;
  };

  const show = (record) => {
    const section = (title, ...children) => view.append(element("h3", title), ...children);
    view.replaceChildren(element("h3", record.phrasings.verbose));
    const measured = record.measured === record.difficulty ? "" : `, measured ${record.measured}`;
    view.append(element("p", `${record.schema_id} · ${record.domain} · ${record.schema_tables} tables · `
      + `${record.difficulty}${measured} · ${record.question_id}`, "note"));
    section("In eight voices", definitions(Object.entries(record.phrasings)
      .map(([style, text]) => [words(style), text])));
    if (record.left_out.length) view.append(element("p", `The ambiguous version leaves out: ${record.left_out.join("; ")}`, "note"));
    if (record.literals.length) section("Where its values are", definitions(record.literals.map((proof) => [
      proof.literal, proof.table ? `${proof.how} in ${proof.table}.${proof.column}` : proof.how])));
    section("Relevant tables", html("div", record.diagram, "diagram"),
      element("p", `Outlined: the ${record.gold_tables.length} tables of the gold query.`, "note"));
    section("Gold SQL", html("pre", record.sql));
    section(`Result, ${record.row_count} row${record.row_count === 1 ? "" : "s"}`, resultTable(record));
    if (record.row_count > record.rows.length) view.append(element("p", `The first ${record.rows.length} rows.`, "note"));
    const transcript = element("details");
    transcript.append(element("summary", `How the agent got there: ${record.transcript.length} messages, judge: ${record.verdicts.join(" → ")}`));
    for (const message of record.transcript) {
      const part = element("div", undefined, `message ${message.role}`);
      part.append(element("small", message.role), element("pre", message.content));
      transcript.append(part);
    }
    view.append(transcript);
  };

  const label = (record) => [record.phrasings.verbose, `${record.difficulty} · ${record.domain}`];
  chooser({records, what: "record", matches, label, show});
})();
