/** The organiser's page of the queue: loads the plan, shows it, saves it, settles conflicts. */

import { openApi, Refused } from "./api.js";
import { isSamePlan } from "./state/plan.js";
import { texts } from "./texts.js";
import { byId } from "./view/dom.js";
import { mountPlan } from "./view/plan_form.js";

/** @typedef {import("./state/plan.js").Plan} Plan */

const api = openApi();
const [party, answer] = await Promise.all([api.party(), api.queue()]);
const { supply } = answer;
/** @type {Plan} */
let saved = { number: answer.number, first: answer.first, wanted_classes: answer.wanted_classes };
/** @type {Plan} */
let plan = saved;

const form = mountPlan(byId("queue"), { party, supply, change, save: () => void save(), takeNewest });
form.show(plan, "");
addEventListener("beforeunload", (event) => {
  if (!isSamePlan(plan, saved)) event.preventDefault();
});

/** @param {(plan: Plan) => Plan} step */
function change(step) {
  plan = step(plan);
  form.show(plan, isSamePlan(plan, saved) ? "" : texts.plan.unsaved);
}

/** What is changed while the answer is on its way stays, and is not saved yet. */
async function save() {
  const sent = plan;
  try {
    saved = await api.saveQueue(sent);
    plan = isSamePlan(plan, sent) ? saved : { ...plan, number: saved.number };
    form.show(plan, isSamePlan(plan, saved) ? texts.plan.saved : texts.plan.unsaved);
  } catch (error) {
    if (!(error instanceof Refused)) return form.show(plan, texts.plan.noServer);
    if (error.code !== "stale") return form.show(plan, error.message);
    saved = /** @type {Plan} */ (/** @type {unknown} */ (error.head));
    // Saved once more, it goes in place of the newest, whose version stays on record.
    plan = { ...plan, number: saved.number };
    form.show(plan, texts.plan.conflict, saved);
  }
}

function takeNewest() {
  plan = saved;
  form.show(plan, "");
}
