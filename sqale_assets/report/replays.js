"use strict";
// Filters and shows episodes, by chooser.js.
(() => {
  const replays = JSON.parse(document.getElementById("records").textContent);
  const form = document.getElementById("filters");
  const view = document.getElementById("record");
  const fields = ["outcome", "ended_by", "condition", "difficulty", "model"];

  for (const field of fields) {
    for (const value of [...new Set(replays.map((replay) => replay[field]))].sort()) {
      form.elements[field].append(new Option(words(value), value));
    }
  }
  const matches = (replay) => fields.every((field) => !form.elements[field].value || replay[field] === form.elements[field].value);

  const result = (title, found) => {
    const part = element("div");
    part.append(element("h3", found ? `${title}, ${found.count} row${found.count === 1 ? "" : "s"}` : title));
    if (!found) part.append(element("p", "It does not run, or there is none.", "note"));
    else {
      part.append(resultTable(found));
      if (found.count > found.rows.length) part.append(element("p", `The first ${found.rows.length} rows.`, "note"));
    }
    return part;
  };

  const round = (one, number) => {
    const part = element("div", undefined, "round");
    part.append(element("h4", `${number} ${one.purpose}`));
    if (one.thought) part.append(element("p", one.thought, "thought"));
    for (const call of one.calls) {
      const details = element("details");
      const summary = element("summary");
      summary.append(element("b", call.tool), ` ${call.args}${call.times > 1 ? `  ×${call.times}` : ""}`);
      if (call.answer.startsWith('{"error"')) summary.className = "failed";
      details.append(summary, element("pre", call.answer || "(ended the episode)"));
      part.append(details);
    }
    if (one.said) part.append(element("p", one.said, "note"));
    return part;
  };

  const show = (replay) => {
    view.replaceChildren(element("h3", replay.question));
    const told = element("p");
    told.append(element("span", words(replay.outcome), `badge ${replay.outcome}`));
    const how = replay.difference ? ` · ${words(replay.difference)}` : "";
    const rule = replay.bird === (replay.outcome === "correct") ? "" : ` · ${replay.bird ? "correct" : "wrong"} by BIRD's rule`;
    told.append(` ended by ${words(replay.ended_by)}${how}${rule}`);
    view.append(told, element("p", `${replay.model} · ${replay.database_id}, ${replay.condition}, ${replay.schema_tables} tables · `
      + `${replay.difficulty} · ${replay.question_id}`, "note"));
    const missed = replay.gold_tables.filter((name) => !replay.opened.includes(name.toLowerCase()));
    const seen = replay.literals ? ` Literals seen: ${replay.literals_seen} of ${replay.literals}.` : "";
    view.append(element("p", (missed.length ? `Gold tables never opened: ${missed.join(", ")}.` : "Every gold table was opened.") + seen, "note"));
    replay.rounds.forEach((one, at) => view.append(round(one, at + 1)));
    const answers = element("div", undefined, "answers");
    const predicted = element("div");
    predicted.append(element("h3", "Final SQL"), replay.sql_html ? html("pre", replay.sql_html) : element("p", "None.", "note"));
    const gold = element("div");
    gold.append(element("h3", "Gold SQL"), html("pre", replay.gold_html));
    answers.append(predicted, gold);
    const results = element("div", undefined, "results");
    results.append(result("It returns", replay.result), result("The gold returns", replay.gold_result));
    view.append(answers, results);
  };

  const label = (replay) => [
    replay.question,
    `${words(replay.outcome)} · ${replay.condition} · ${replay.rounds.length} rounds · ${replay.model}`,
  ];
  chooser({records: replays, what: "episode", matches, label, show});
})();
