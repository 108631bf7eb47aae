/** The JSON interface, the order of calls and of answers, and keys of saves; the only module with addresses and fetch. */

/** @import {Api} from "./types.js" */

const ROOT = "/api/v1";
const ANSWER_WITHIN_MS = 20_000;
/** What ends a page: it was opened for another person, or in another party, than is there now. */
const ENDS = ["other_person", "other_party"];

/** An answer that is not 2xx, with what its body says. */
export class Refused extends Error {
  /**
   * `body` is all that came, of which some conflicts have more to say; `pauseSecs` is asked for by the server.
   * @param {number} status
   * @param {{code: string, message: string, field?: string}} error
   * @param {Record<string, any>} body
   * @param {number} pauseSecs
   */
  constructor(status, error, body, pauseSecs) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.field = error.field ?? null;
    this.head = body.head ?? null;
    this.keptAs = body.kept_as ?? null;
    this.body = body;
    this.pauseSecs = pauseSecs;
  }
}

/** No answer at all: the network or the server is away, or asks for a pause because it is busy. */
export class NoAnswer extends Error {
  pauseSecs = 0;
}

/**
 * What to tell people of a call that failed. Throws any other error: it is a bug.
 * @param {unknown} error
 * @param {string} noServer
 */
export function explain(error, noServer) {
  if (error instanceof Refused) return error.message;
  if (error instanceof NoAnswer) return error.pauseSecs > 0 ? error.message : noServer;
  throw error;
}

/**
 * Calls give the answer's body, or throw Refused or NoAnswer; they carry the page's token. What changes something
 * says for whom and in which party the page was opened; `stop` ends a page that is another's.
 * @param {(message: string) => void} stop
 * @returns {Api}
 */
export function openApi(stop) {
  const openedFor = JSON.parse(readMeta("opened-for") ?? "null");
  let isStopped = false;
  let token = readMeta("csrf-token") ?? "";

  /** From now on requests carry its token. */
  async function session() {
    const answer = await get("/session");
    token = answer.csrf_token;
    return answer;
  }

  const get = (/** @type {string} */ path) => request("GET", path);
  const post = (/** @type {string} */ path, body = {}) => send("POST", path, body);

  /** The newest change that is not answered yet. @type {{what: string, answer: Promise<any>} | null} */
  let underWay = null;

  /**
   * A change that is asked for again before its answer, as by a button pressed twice, is sent once; both get the answer.
   * @param {"POST" | "PUT"} method
   * @param {string} path
   * @param {object} content
   */
  function send(method, path, content) {
    const what = JSON.stringify([method, path, content]);
    if (underWay?.what === what) return underWay.answer;
    const change = { what, answer: sendWithToken(method, path, content) };
    underWay = change;
    const forget = () => {
      if (underWay === change) underWay = null;
    };
    change.answer.then(forget, forget);
    return change.answer;
  }

  /**
   * A token that is out of date is fetched anew, once, and the request repeated.
   * @param {"POST" | "PUT"} method
   * @param {string} path
   * @param {object} content
   */
  async function sendWithToken(method, path, content) {
    const body = { opened_for: openedFor, ...content };
    try {
      return await change(method, path, body);
    } catch (error) {
      if (!(error instanceof Refused && error.code === "csrf")) throw error;
      await session();
      return await change(method, path, body);
    }
  }

  /**
   * The page ends where it is another's: then no call is answered any more.
   * @param {string} method
   * @param {string} path
   * @param {object} body
   */
  async function change(method, path, body) {
    if (isStopped) return await never();
    try {
      return await request(method, path, { body, token });
    } catch (error) {
      if (!(error instanceof Refused && ENDS.includes(error.code))) throw error;
      if (!isStopped) stop(error.message);
      isStopped = true;
      return await never();
    }
  }

  return {
    openedFor,
    session,
    party: () => get("/party"),
    preferences: () => get("/me/preferences"),
    keepPreferences: (preferences) => send("PUT", "/me/preferences", { preferences }),

    nextTask: (kind, { imageId, ahead, leaving, isOpened } = {}) =>
      post(`/tasks/${kind}`, { image_id: imageId, ahead: ahead || undefined, leaving, is_opened: isOpened }),
    heartbeat: (leaseId) => post(`/leases/${leaseId}/heartbeat`),
    giveBack: (leaseId) => post(`/leases/${leaseId}/give-back`),
    saveRevision: (imageId, body) => post(`/images/${imageId}/revisions`, body),
    saveReview: (imageId, body) => post(`/images/${imageId}/reviews`, body),
    saveSegmentation: (imageId, body) => post(`/images/${imageId}/segmentations`, body),
    saveSegmentReview: (segmentationId, body) => post(`/segmentations/${segmentationId}/reviews`, body),
    propose: (imageId, { key, add, remove, clicks }) =>
      post(`/images/${imageId}/proposals`, { object_key: key, add, remove, clicks }),
    suggestedOutlines: (imageId) => get(`/images/${imageId}/suggested-outlines`),
    outlineModel: (imageId) => get(`/images/${imageId}/outline-model`),
    mine: () => get("/mine"),
    eventBoxes: (imageId) => get(`/images/${imageId}/event`),
    remarks: () => get("/remarks"),
    seeRemark: (remarkId) => post(`/remarks/${remarkId}/seen`),
    feedback: (before) => get(`/me/feedback${asking({ before })}`),
    revisions: (imageId) => get(`/images/${imageId}/revisions`),
    compareRevisions: (imageId, first, second) =>
      get(`/images/${imageId}/revisions/${first}/compare/${second}`),
    restoreRevision: (imageId, revisionId, body) =>
      post(`/images/${imageId}/revisions/${revisionId}/restore`, body),
    training: () => get("/training"),
    finishTraining: () => post("/training/finish"),

    clusters: (filter, limit) => get(`/clusters${asking({ ...filter, limit })}`),
    labelPair: (body) => post("/clusters/labels", body),
    keepInstead: (body) => post("/clusters/keep", body),
    undoPairLabel: (labelId) => post(`/clusters/labels/${labelId}/undo`),
    findings: (filter, past = null) => get(`/findings${asking({ ...filter, past })}`),
    judgeFinding: (findingId, verdict, version) =>
      post(`/findings/${findingId}/verdict`, { verdict, version }),
    switchChecks: (base, switchedOff) =>
      send("PUT", "/findings/switches", { base, switched_off: switchedOff }),
    pairs: (check, past = null) => get(`/pairs${asking({ check, past })}`),
    confusedClasses: () => get("/pairs/classes"),
    decidePair: (pairId, keep, version, tookMs) =>
      post(`/pairs/${pairId}`, { keep, version, took_ms: tookMs }),
    disputes: () => get("/disputes"),
    difficultClasses: () => get("/difficult"),
    takeClass: (name) => post(`/difficult/${encodeURIComponent(name)}/take`),
    giveClassBack: (name) => post(`/difficult/${encodeURIComponent(name)}/give-back`),
    judgeDifficult: (name, objects) => post(`/difficult/${encodeURIComponent(name)}/judgements`, { objects }),
    presenceClasses: () => get("/presence/classes"),
    thumbnails: (name) => get(`/presence/classes/${encodeURIComponent(name)}`),
    sayPresence: (name, answers) => post(`/presence/classes/${encodeURIComponent(name)}`, { answers }),
    undoPresence: (answerIds) => post("/presence/undo", { answer_ids: answerIds }),
    presenceAnswers: (imageId) => get(`/presence/images/${imageId}/answers`),
    takePresenceBack: (imageId, answerId, version) =>
      post(`/presence/images/${imageId}/take-back`, { answer_id: answerId, version }),
    questionStatus: () => get("/presence/questions/status"),
    takePersonsPresenceBack: (personId, version) =>
      post(`/presence/people/${personId}/take-back`, { version }),
    takeQuestion: () => post("/presence/questions/take", {}),
    answerQuestionPage: (page) => post("/presence/questions/answer", page),
    undoQuestionPage: (answerIds) => post("/presence/questions/undo", { answer_ids: answerIds }),
    verifyClasses: () => get("/questions/classes"),
    takeQuestions: (name) => post(`/questions/classes/${encodeURIComponent(name)}/take`),
    answerQuestion: ({ id, version }, said, tookMs) =>
      post(`/questions/${id}/answer`, { version, said, took_ms: tookMs }),
    drawAnswer: ({ id, version }, box, tookMs) =>
      post(`/questions/${id}/draw`, { version, box, took_ms: tookMs }),
    undoAnswers: (answerIds) => post("/questions/undo", { answer_ids: answerIds }),
    takeAnswersBack: (personId, version) => post(`/questions/people/${personId}/take-back`, { version }),

    board: (zone) => get(`/board${asking({ zone })}`),
    agreement: () => get("/board/agreement"),
    takeBack: ({ person_id, lease_id, version }) =>
      post(`/board/people/${person_id}/leases/${lease_id}/take-back`, { version }),
    saveShares: ({ number, ...shares }) => send("PUT", "/board/shares", { base: number, ...shares }),
    queue: () => get("/queue"),
    saveQueue: ({ number, first, wanted_classes }) =>
      send("PUT", "/queue", { base: number, first, wanted_classes }),
    images: (filters, before) => get(`/images${asking({ ...filters, before })}`),
    imageFacets: (filters) => get(`/images/facets${asking(filters)}`),
    filterValues: () => get("/images/values"),
    imageVersions: (filters) => get(`/images/versions${asking(filters)}`),
    settle: (imageId, state) => post(`/board/stuck/${imageId}/settle`, { state }),
    actOnImages: (body) => post("/images/actions", body),
    makeCampaign: (body) => post("/images/campaigns", body),
    endCampaign: (campaignId) => post(`/images/campaigns/${campaignId}/end`),
    gold: () => get("/gold"),
    goldOf: (imageId) => get(`/gold/${imageId}`),
    chooseGold: (imageId, choice) => send("PUT", `/gold/${imageId}`, choice),
    endGold: (imageId, version) => post(`/gold/${imageId}/end`, { version }),
    wall: (before = null) => get(`/wall${asking({ before })}`),
    remarkOn: (annotationId, text) => post(`/annotations/${annotationId}/remarks`, { text }),
    returnFromWall: (annotationId, body) => post(`/annotations/${annotationId}/return`, body),
    people: () => get("/people"),
    invite: (name, role) => post("/people", { name, role }),
    renewLink: (personId, version) => post(`/people/${personId}/link`, { version }),
    endLink: (personId, version) => post(`/people/${personId}/end`, { version }),
    setRole: (personId, role, version) => post(`/people/${personId}/role`, { role, version }),
    letBegin: (personId, version) => post(`/people/${personId}/let-begin`, { version }),
    planUndo: (personId) => post(`/people/${personId}/undo`, { dry_run: true }),
    undoPerson: (personId, version) => post(`/people/${personId}/undo`, { dry_run: false, version }),
    openCode: (hours, mostPeople) => post("/party-codes", { hours, most_people: mostPeople }),
    endCode: (codeId) => post(`/party-codes/${codeId}/end`),
    guidelines: () => get("/guidelines"),
    saveGuidelines: (base, markdown) => send("PUT", "/guidelines", { base, markdown }),
    previewGuidelines: (markdown) => post("/guidelines/preview", { markdown }),
    guidelineVersions: () => get("/guidelines/versions"),
    guidelineVersion: (number) => get(`/guidelines/versions/${number}`),
  };
}

/** @param {string} name */
function readMeta(name) {
  return document.querySelector(`meta[name=${name}]`)?.getAttribute("content") ?? null;
}

/** @returns {Promise<any>} */
function never() {
  return new Promise(() => {});
}

/** The query of an address, without the values that are null. @param {Record<string, string | number | null>} values */
function asking(values) {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [[name, String(value)]],
  );
  return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
}

/** The calls on their way. @type {Set<unknown>} */
const underWay = new Set();

/** One call; the document says so with `data-asking` as long as any is on its way. @param {Parameters<typeof exchange>} call */
async function request(...call) {
  const note = () => document.documentElement.toggleAttribute("data-asking", underWay.size > 0);
  underWay.add(call);
  note();
  return await exchange(...call).finally(() => underWay.delete(call) && note());
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{body?: object, token?: string}} [options]
 */
async function exchange(method, path, { body, token } = {}) {
  const response = await fetch(ROOT + path, {
    method,
    credentials: "same-origin",
    cache: "no-store",
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    headers: { "Content-Type": "application/json", "X-CSRFToken": token ?? "" },
    body: body && JSON.stringify(body),
  }).catch((cause) => {
    throw new NoAnswer("the server cannot be reached", { cause });
  });
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  const pauseSecs = Number(response.headers.get("Retry-After")) || 0;
  if (!answer?.error || response.status >= 500) {
    throw Object.assign(new NoAnswer(answer?.error?.message ?? `status ${response.status}`), { pauseSecs });
  }
  throw new Refused(response.status, answer.error, answer, pauseSecs);
}

/**
 * Runs calls one after the other: each begins when the one before has ended, even with an error.
 * @returns {<T>(work: () => Promise<T>) => Promise<T>}
 */
export function createSequence() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (work) => {
    const answer = last.then(work);
    last = answer.catch(() => {});
    return answer;
  };
}

/**
 * For a request that is repeated: gives its answer, or null if a later request was answered first.
 * @returns {<T>(ask: () => Promise<T>) => Promise<T | null>}
 */
export function createNewest() {
  let askedCount = 0;
  let answered = 0;
  return async (ask) => {
    askedCount += 1;
    const number = askedCount;
    const answer = await ask();
    if (number < answered) return null;
    answered = number;
    return answer;
  };
}

/** A unique key; of random bits, because randomUUID needs https. */
export function makeKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
