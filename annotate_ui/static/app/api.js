/** The JSON interface; the only module with addresses and fetch. */

/** @import {Agreement, Board, ClusterPage, Filter, Left, Plan, Shares} from "./state/types.js" */
/** @import {Disputes, FindingsAnswer, GoldChoice, GoldPage, Invited, Members, Party, Progress, Saved, Session, TaskAnswer, Training, Wall} from "./types.js" */

/** @typedef {ReturnType<typeof openApi>} Api */

const ROOT = "/api/v1";
const ANSWER_WITHIN_MS = 20_000;

/** An answer that is not 2xx, with what its body says. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{code: string, message: string, field?: string}} error
   * @param {Record<string, any>} body all that came, of which some conflicts have more to say
   * @param {number} pauseSecs asked for by the server
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
 * What to tell people of a call that failed. Throws what is neither refused nor unanswered: a fault of ours.
 * @param {unknown} error
 * @param {string} noServer
 */
export function explain(error, noServer) {
  if (error instanceof Refused) return error.message;
  if (error instanceof NoAnswer) return error.pauseSecs > 0 ? error.message : noServer;
  throw error;
}

/**
 * Calls that give the answer's body, or throw Refused or NoAnswer; they carry the token that the
 * page was sent with.
 */
export function openApi() {
  let token = document.querySelector("meta[name=csrf-token]")?.getAttribute("content") ?? "";

  /** @returns {Promise<Session>} and from now on requests carry its token */
  async function session() {
    const answer = await request("GET", "/session");
    token = answer.csrf_token;
    return answer;
  }

  /**
   * A token that is out of date is fetched anew, once, and the request repeated.
   * @param {string} path
   * @param {object} body
   * @param {boolean} [keepalive] for the moment in which the page goes away
   */
  const post = (path, body, keepalive) => send("POST", path, body, keepalive);

  /** @param {"POST" | "PUT"} method @param {string} path @param {object} body @param {boolean} [keepalive] */
  async function send(method, path, body, keepalive = false) {
    try {
      return await request(method, path, { body, token, keepalive });
    } catch (error) {
      if (!(error instanceof Refused && error.code === "csrf")) throw error;
      await session();
      return await request(method, path, { body, token, keepalive });
    }
  }

  return {
    session,
    /** @returns {Promise<Party>} */
    party: () => request("GET", "/party"),
    /**
     * @param {import("./state/types.js").Page} kind
     * @param {{imageId?: number, ahead?: number}} [wish] one's own image to go back to, and how
     *   many behind it shall be reserved
     * @returns {Promise<TaskAnswer>}
     */
    nextTask: (kind, { imageId, ahead } = {}) =>
      post(`/tasks/${kind}`, { image_id: imageId, ahead: ahead || undefined }),
    /** @param {number} leaseId @returns {Promise<{lease: import("./types.js").Lease, live: import("./types.js").Live}>} */
    heartbeat: (leaseId) => post(`/leases/${leaseId}/heartbeat`, {}),
    /** @param {number} leaseId */
    giveBack: (leaseId) => post(`/leases/${leaseId}/give-back`, {}),
    /** @param {number} imageId @param {object} body @param {boolean} [keepalive] @returns {Promise<Saved>} */
    saveRevision: (imageId, body, keepalive) =>
      post(`/images/${imageId}/revisions`, body, keepalive),
    /**
     * @param {number} imageId
     * @param {object} body
     * @returns {Promise<{review_id: number, state: string, annotation: import("./types.js").Revision}>}
     */
    saveReview: (imageId, body) => post(`/images/${imageId}/reviews`, body),
    /** @param {number} imageId @param {object} body @returns {Promise<any>} */
    saveSegmentation: (imageId, body) => post(`/images/${imageId}/segmentations`, body),
    /** @param {number | null} segmentationId @param {object} body @returns {Promise<any>} */
    saveSegmentReview: (segmentationId, body) => post(`/segmentations/${segmentationId}/reviews`, body),
    /**
     * @param {number} imageId
     * @param {import("./state/types.js").Proposal} wish
     * @returns {Promise<{rings: import("./types.js").Rings}>}
     */
    propose: (imageId, { key, add, remove }) => post(`/images/${imageId}/proposals`, { object_key: key, add, remove }),
    /**
     * @param {Filter} filter
     * @param {number} limit of clusters, the most doubtful first
     * @returns {Promise<ClusterPage>}
     */
    clusters: ({ show, relation }, limit) =>
      request("GET", `/clusters?show=${show}&relation=${relation}&limit=${limit}`),
    /**
     * @param {{image_id: number, other_id: number, verdict: string, relation: string | null}} body
     * @returns {Promise<Left & {label_id: number}>}
     */
    labelPair: (body) => post("/clusters/labels", body),
    /** @param {{image_id: number, kept_id: number}} body @returns {Promise<Left & {label_id: number}>} */
    keepInstead: (body) => post("/clusters/keep", body),
    /** @param {number} labelId @returns {Promise<Left & {undone: boolean}>} */
    undoPairLabel: (labelId) => post(`/clusters/labels/${labelId}/undo`, {}),
    /**
     * @param {{check: string | null, severity: string | null}} filter
     * @param {string | null} [past] the `next` of the answer that this one goes on from
     * @returns {Promise<FindingsAnswer>}
     */
    findings: ({ check, severity }, past = null) => {
      const asked = { check, severity, past };
      const given = Object.entries(asked).flatMap(([name, word]) => (word === null ? [] : [[name, word]]));
      return request("GET", `/findings?${new URLSearchParams(given)}`);
    },
    /**
     * @param {number} findingId
     * @param {"right" | "wrong" | null} verdict null takes it back
     * @param {string | null} seen what it was before
     * @returns {Promise<{verdict: string | null, check: import("./types.js").CheckRow}>}
     */
    judgeFinding: (findingId, verdict, seen) =>
      post(`/findings/${findingId}/verdict`, { verdict, seen }),
    /**
     * @param {Record<string, string>} filters
     * @param {number | null} before where the page before ended
     * @returns {Promise<import("./types.js").Images>}
     */
    images: (filters, before) =>
      request("GET", `/images?${new URLSearchParams({ ...filters, ...(before === null ? {} : { before: String(before) }) })}`),
    /** @param {{action: string, words: string, ids?: number[], filters?: Record<string, string>}} body @returns {Promise<{message: string, changed: number[]}>} */
    actOnImages: (body) => post("/images/actions", body),
    /** @param {import("./types.js").CampaignWish} body @returns {Promise<{message: string}>} */
    makeCampaign: (body) => post("/images/campaigns", body),
    /** @param {string} name @returns {Promise<{message: string}>} */
    endCampaign: (name) => post(`/images/campaigns/${encodeURIComponent(name)}/end`, {}),
    /** @returns {Promise<Disputes>} */
    disputes: () => request("GET", "/disputes"),
    /** @returns {Promise<GoldPage>} */
    gold: () => request("GET", "/gold"),
    /** @param {number} imageId @returns {Promise<GoldChoice>} */
    goldOf: (imageId) => request("GET", `/gold/${imageId}`),
    /**
     * @param {number} imageId
     * @param {{is_training: boolean, note: string}} choice
     * @returns {Promise<{gold: import("./types.js").GoldRow}>}
     */
    chooseGold: (imageId, choice) => send("PUT", `/gold/${imageId}`, choice),
    /** @param {number} imageId */
    endGold: (imageId) => post(`/gold/${imageId}/end`, {}),
    /** @param {number} personId @param {boolean} isDryRun @returns {Promise<{lines: string[], images: number[]}>} */
    undoPerson: (personId, isDryRun) => post(`/people/${personId}/undo`, { dry_run: isDryRun }),
    /** @param {number} personId */
    letBegin: (personId) => post(`/people/${personId}/let-begin`, {}),
    /** @param {number} base @param {string[]} switchedOff */
    switchChecks: (base, switchedOff) =>
      send("PUT", "/findings/switches", { base, switched_off: switchedOff }),
    /** @returns {Promise<{classes: import("./types.js").WaitingClass[]}>} */
    difficultClasses: () => request("GET", "/difficult"),
    /** @param {string} name @returns {Promise<{objects: import("./types.js").CropRow[]}>} */
    takeClass: (name) => post(`/difficult/${encodeURIComponent(name)}/take`, {}),
    /** @param {string} name */
    giveClassBack: (name) => post(`/difficult/${encodeURIComponent(name)}/give-back`, {}),
    /**
     * @param {string} name
     * @param {{image_id: number, key: string, difficult: boolean}[]} objects
     * @returns {Promise<{late: {image_id: number, key: string}[]}>}
     */
    judgeDifficult: (name, objects) =>
      post(`/difficult/${encodeURIComponent(name)}/judgements`, { objects }),
    /** @returns {Promise<{classes: {name: string, display: string, waiting: number}[]}>} */
    presenceClasses: () => request("GET", "/presence/classes"),
    /** @param {string} name @returns {Promise<{images: import("./types.js").Thumbnail[]}>} */
    thumbnails: (name) => request("GET", `/presence/classes/${encodeURIComponent(name)}`),
    /** @param {string} name @param {{image_id: number, shows: string}[]} answers @returns {Promise<{kept: number[]}>} */
    sayPresence: (name, answers) => post(`/presence/classes/${encodeURIComponent(name)}`, { answers }),
    /** @param {number[]} imageIds @returns {Promise<{undone: number}>} */
    undoPresence: (imageIds) => post("/presence/undo", { image_ids: imageIds }),
    /** @returns {Promise<{preferences: object}>} */
    preferences: () => request("GET", "/me/preferences"),
    /** @param {object} preferences */
    keepPreferences: (preferences) => send("PUT", "/me/preferences", { preferences }),
    /** @param {number} imageId @returns {Promise<import("./types.js").History>} */
    revisions: (imageId) => request("GET", `/images/${imageId}/revisions`),
    /**
     * @param {number} imageId
     * @param {number} first
     * @param {number} second
     * @returns {Promise<{changes: import("./types.js").Change[], same: import("./types.js").SentObject[]}>}
     */
    compareRevisions: (imageId, first, second) =>
      request("GET", `/images/${imageId}/revisions/${first}/compare/${second}`),
    /**
     * @param {number} imageId
     * @param {number} revisionId
     * @param {{save_key: string, head_id: number | null}} body
     * @returns {Promise<{annotation: import("./types.js").Revision, state: string}>}
     */
    restoreRevision: (imageId, revisionId, body) =>
      post(`/images/${imageId}/revisions/${revisionId}/restore`, body),
    /** @param {number | null} before @returns {Promise<import("./types.js").Feedback>} */
    feedback: (before) => request("GET", before === null ? "/me/feedback" : `/me/feedback?before=${before}`),
    /** @returns {Promise<{images: import("./types.js").MineEntry[]}>} */
    mine: () => request("GET", "/mine"),
    /** @param {number} imageId @returns {Promise<{image_id: number | null, annotation: import("./types.js").Revision | null}>} */
    eventBoxes: (imageId) => request("GET", `/images/${imageId}/event`),
    /** @returns {Promise<{number: number, markdown: string, html: string}>} */
    guidelines: () => request("GET", "/guidelines"),
    /**
     * @param {number} base the version that the text was made from
     * @param {string} markdown
     * @returns {Promise<{number: number, markdown: string, html: string}>}
     */
    saveGuidelines: (base, markdown) => send("PUT", "/guidelines", { base, markdown }),
    /** @param {string} markdown @returns {Promise<{html: string}>} */
    previewGuidelines: (markdown) => post("/guidelines/preview", { markdown }),
    /** @returns {Promise<{versions: {number: number, set_at: string, person: {name: string}}[]}>} */
    guidelineVersions: () => request("GET", "/guidelines/versions"),
    /** @param {number} number @returns {Promise<{number: number, markdown: string, html: string}>} */
    guidelineVersion: (number) => request("GET", `/guidelines/versions/${number}`),
    /** @returns {Promise<Plan & {supply: import("./state/types.js").Supply}>} */
    queue: () => request("GET", "/queue"),
    /** @param {Plan} plan made from the version that its number names @returns {Promise<Plan>} */
    saveQueue: ({ number, first, wanted_classes }) =>
      send("PUT", "/queue", { base: number, first, wanted_classes }),
    /** @returns {Promise<Board>} */
    board: (/** @type {string} */ zone) => request("GET", `/board?zone=${encodeURIComponent(zone)}`),
    /** @returns {Promise<Agreement>} */
    agreement: () => request("GET", "/board/agreement"),
    /** @param {number} personId @param {number} leaseId */
    takeBack: (personId, leaseId) => post(`/board/people/${personId}/leases/${leaseId}/take-back`, {}),
    /** @param {Shares} shares */
    saveShares: ({ number, ...shares }) => send("PUT", "/board/shares", { base: number, ...shares }),
    /** @param {number | null} [before] @returns {Promise<Wall>} */
    wall: (before = null) => request("GET", before === null ? "/wall" : `/wall?before=${before}`),
    /** @param {number} annotationId @param {string} text */
    remarkOn: (annotationId, text) => post(`/annotations/${annotationId}/remarks`, { text }),
    /** @param {number} annotationId @param {string} comment */
    returnFromWall: (annotationId, comment) => post(`/annotations/${annotationId}/return`, { comment }),
    /** @returns {Promise<{remarks: import("./types.js").Remark[]}>} */
    remarks: () => request("GET", "/remarks"),
    /** @param {number} remarkId */
    seeRemark: (remarkId) => post(`/remarks/${remarkId}/seen`, {}),
    /** @returns {Promise<Members>} */
    people: () => request("GET", "/people"),
    /** @param {string} name @param {string} role @returns {Promise<Invited>} */
    invite: (name, role) => post("/people", { name, role }),
    /** @param {number} personId @returns {Promise<Invited>} */
    renewLink: (personId) => post(`/people/${personId}/link`, {}),
    /** @param {number} personId */
    endLink: (personId) => post(`/people/${personId}/end`, {}),
    /** @param {number} personId @param {string} role */
    setRole: (personId, role) => post(`/people/${personId}/role`, { role }),
    /** @param {number} hours @param {number} mostPeople */
    openCode: (hours, mostPeople) => post("/party-codes", { hours, most_people: mostPeople }),
    /** @param {number} codeId */
    endCode: (codeId) => post(`/party-codes/${codeId}/end`, {}),
    /** @returns {Promise<Training>} */
    training: () => request("GET", "/training"),
    /** @returns {Promise<Progress>} */
    finishTraining: () => post("/training/finish", {}),
  };
}

/** The calls on their way. @type {Set<symbol>} */
const underWay = new Set();

/**
 * One call; the document says so with `data-asking` as long as any is on its way.
 * @param {string} method
 * @param {string} path
 * @param {{body?: object, token?: string, keepalive?: boolean}} [options]
 */
async function request(method, path, options) {
  const call = Symbol(path);
  const note = () => document.documentElement.toggleAttribute("data-asking", underWay.size > 0);
  underWay.add(call);
  note();
  return await exchange(method, path, options).finally(() => underWay.delete(call) && note());
}

/**
 * @param {string} method
 * @param {string} path
 * @param {{body?: object, token?: string, keepalive?: boolean}} [options]
 */
async function exchange(method, path, { body, token, keepalive = false } = {}) {
  const response = await reach(path, {
    method,
    keepalive,
    credentials: "same-origin",
    cache: "no-store",
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    headers: { "Content-Type": "application/json", "X-CSRFToken": token ?? "" },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json().catch(() => null);
  if (response.ok && answer) return answer;
  const pauseSecs = Number(response.headers.get("Retry-After")) || 0;
  if (!answer?.error || response.status >= 500) {
    throw Object.assign(new NoAnswer(answer?.error?.message ?? `status ${response.status}`), { pauseSecs });
  }
  throw new Refused(response.status, answer.error, answer, pauseSecs);
}

/** @param {string} path @param {RequestInit} options */
async function reach(path, options) {
  try {
    return await fetch(ROOT + path, options);
  } catch (error) {
    throw new NoAnswer("the server cannot be reached", { cause: error });
  }
}
