import assert from "node:assert/strict";
import { test } from "node:test";
import { chordOf, digitOf, findCommand } from "#app/state/chords.js";
import { buildKeymap, MAP_NAMES } from "#app/state/keymap.js";
import { makeClass, PARTY } from "./fixtures.js";

/** @import {KeyPress} from "#app/state/types.js" */

const CODES = [
  "Backquote Digit1 Digit2 Digit3 Digit4 Digit5 Digit6 Digit7 Digit8 Digit9 Digit0 Minus Equal",
  "KeyQ KeyW KeyE KeyR KeyT KeyY KeyU KeyI KeyO KeyP BracketLeft BracketRight",
  "KeyA KeyS KeyD KeyF KeyG KeyH KeyJ KeyK KeyL Semicolon Quote Backslash",
  "IntlBackslash KeyZ KeyX KeyC KeyV KeyB KeyN KeyM Comma Period Slash",
]
  .join(" ")
  .split(" ");

/** Dead keys are written as ¤. Each layout: the keys of CODES without Shift, with Shift, and signs with AltGr. */
const LAYOUTS = /** @type {Record<string, {plain: string, shift: string, altGr?: string}>} */ ({
  "United States": {
    plain: "`1234567890-= qwertyuiop[] asdfghjkl;'\\ \\zxcvbnm,./",
    shift: '~!@#$%^&*()_+ QWERTYUIOP{} ASDFGHJKL:"| |ZXCVBNM<>?',
  },
  "United Kingdom": {
    plain: "`1234567890-= qwertyuiop[] asdfghjkl;'# \\zxcvbnm,./",
    shift: '¬!"£$%^&*()_+ QWERTYUIOP{} ASDFGHJKL:@~ |ZXCVBNM<>?',
    altGr: "Digit4€ KeyEé",
  },
  German: {
    plain: "¤1234567890ß¤ qwertzuiopü+ asdfghjklöä# <yxcvbnm,.-",
    shift: "°!\"§$%&/()=?` QWERTZUIOPÜ* ASDFGHJKLÖÄ' >YXCVBNM;:_",
    altGr: "Digit7{ Digit8[ Digit9] Digit0} Minus\\ KeyQ@ KeyE€ IntlBackslash|",
  },
  French: {
    plain: "²&é\"'(-è_çà)= azertyuiop¤$ qsdfghjklmù* <wxcvbn,;:!",
    shift: "~1234567890°+ AZERTYUIOP¤£ QSDFGHJKLM%µ >WXCVBN?./§",
    altGr: "Digit2¤ Digit3# Digit4{ Digit5[ Digit6| Digit7¤ Digit8\\ Digit9^ Digit0@ Minus] Equal} KeyE€",
  },
  Czech: {
    plain: ";+ěščřžýáíé=¤ qwertzuiopú) asdfghjklů§¤ \\yxcvbnm,.-",
    shift: "¤1234567890%¤ QWERTZUIOP/( ASDFGHJKL\"!' |YXCVBNM?:_",
    altGr: "Digit2^ KeyQ\\ KeyW| KeyF[ KeyG] KeyB{ KeyN} Comma< Period> KeyV@ KeyX# KeyC&",
  },
  Russian: {
    plain: "ё1234567890-= йцукенгшщзхъ фывапролджэ\\ /ячсмитьбю.",
    shift: 'Ё!"№;%:?*()_+ ЙЦУКЕНГШЩЗХЪ ФЫВАПРОЛДЖЭ/ |ЯЧСМИТЬБЮ,',
  },
  Greek: {
    plain: "`1234567890-= ;ςερτυθιοπ[] ασδφγηξκλ¤'\\ <ζχψωβνμ,./",
    shift: '~!@#$%^&*()_+ :¤ΕΡΤΥΘΙΟΠ{} ΑΣΔΦΓΗΞΚΛ¤"| >ΖΧΨΩΒΝΜ<>?',
  },
  Turkish: {
    plain: '"1234567890*- qwertyuıopğü asdfghjklşi, <zxcvbnmöç.',
    shift: "é!'¤+%&/()=?_ QWERTYUIOPĞÜ ASDFGHJKLŞİ; >ZXCVBNMÖÇ:",
    altGr: "Digit2£ Digit3# Digit4$ Digit7{ Digit8[ Digit9] Digit0} Minus\\ KeyQ@ KeyE€ IntlBackslash|",
  },
  Dvorak: {
    plain: "`1234567890[] ',.pyfgcrl/= aoeuidhtns-\\ \\;qjkxbmwvz",
    shift: '~!@#$%^&*(){} "<>PYFGCRL?+ AOEUIDHTNS_| |:QJKXBMWVZ',
  },
  Colemak: {
    plain: "`1234567890-= qwfpgjluy;[] arstdhneio'\\ -zxcvbkm,./",
    shift: '~!@#$%^&*()_+ QWFPGJLUY:{} ARSTDHNEIO"| _ZXCVBKM<>?',
  },
});

/** What no key of a layout reaches, because another command has the sign: by name, by pointer, or by a key of one's own. */
const UNREACHED = /** @type {Record<string, string[]>} */ ({
  German: ["Shift+0"], // "=" zooms in
  Russian: ["Shift+4", "Shift+6", "Shift+7"], // ";", ":" and "?"
  Greek: ["q", "Shift+W"], // ";" and a dead key
  Turkish: ["Shift+4", "Shift+0"], // "+" and "=" zoom in
});

const SYSTEMS = ["Windows", "macOS", "Linux"];
const TWENTY = Array.from({ length: 20 }, (_, index) => makeClass(`class${index}`));
const PARTY_OF_TWENTY = { ...PARTY, classes: TWENTY };
const PAGES = /** @type {const} */ (["annotate", "check", "segment", "check-segment"]);
const KEYMAPS = MAP_NAMES.flatMap((name) =>
  PAGES.map((page) =>
    buildKeymap(
      PARTY_OF_TWENTY,
      TWENTY.map((spec) => spec.name),
      name,
      page,
    ),
  ),
);

for (const [name, layout] of Object.entries(LAYOUTS)) {
  for (const system of SYSTEMS) {
    const presses = listPresses(layout, system);

    test(`${name}, ${system}: a sign of a command runs this command and no other`, () => {
      for (const { commandOf } of KEYMAPS) {
        for (const press of presses.filter(({ key }) => !/^[a-z0-9]$/i.test(key))) {
          const command = commandOf.get(press.key);
          if (command) assert.equal(run(press, commandOf), command, say(press));
        }
      }
    });

    test(`${name}, ${system}: a sign without a command is a digit of its key, or a letter of another script`, () => {
      for (const { commandOf } of KEYMAPS) {
        for (const press of presses.filter(({ key }) => key.length === 1 && !commandOf.has(key))) {
          if (/^[a-z0-9 ]$/i.test(press.key)) continue;
          const isDigit = /^Digit/.test(press.code) && !isMadeWithAltGr(press);
          const isOfOtherScript = /\p{Script=Cyrillic}|\p{Script=Greek}/u.test(press.key);
          if (!isDigit && !isOfOtherScript) assert.equal(run(press, commandOf), undefined, say(press));
        }
      }
    });

    test(`${name}, ${system}: a key has the letter or digit that is printed on it`, () => {
      for (const press of presses.filter(({ key }) => /^[a-z0-9]$/i.test(key))) {
        const printed = press.shiftKey ? `Shift+${press.key}` : press.key.toLowerCase();
        assert.equal(chordOf(press), printed, say(press));
      }
    });

    test(`${name}, ${system}: every command has a key`, () => {
      for (const { rows, commandOf } of KEYMAPS) {
        const reached = new Set(
          presses.flatMap((press) => heldWith(press)).map((press) => run(press, commandOf)),
        );
        const missing = rows.filter(({ command, chords }) => chords.length > 0 && !reached.has(command));
        const excused = UNREACHED[name] ?? [];
        assert.deepEqual(
          missing.filter(({ chords }) => !chords.some((chord) => excused.includes(chord))),
          [],
        );
      }
    });
  }
}

const { commandOf } = buildKeymap(
  PARTY_OF_TWENTY,
  TWENTY.map((spec) => spec.name),
  "labelimg",
  "annotate",
);

/** @type {[what: string, press: Partial<KeyPress>, command: string | undefined][]} */
const SEEN = [
  ["French - where 6 is", { key: "-", code: "Digit6" }, "zoom.out"],
  ["French _ where 8 is", { key: "_", code: "Digit8" }, "zoom.fit"],
  ["French é", { key: "é", code: "Digit2" }, "class:class1"],
  ["French 2, with Shift", { key: "2", code: "Digit2", shiftKey: true }, "class:class11"],
  ["French ? where M is", { key: "?", code: "KeyM", shiftKey: true }, "help"],
  ["Czech + where 1 is", { key: "+", code: "Digit1" }, "zoom.in"],
  ["Czech ě", { key: "ě", code: "Digit2" }, "class:class1"],
  ["Czech Ě under Caps Lock", { key: "Ě", code: "Digit2" }, "class:class1"],
  ["German AltGr 8 on Linux", { key: "[", code: "Digit8", ...altGr("Linux") }, "light.darker"],
  ["German AltGr 8 on Windows", { key: "[", code: "Digit8", ...altGr("Windows") }, "light.darker"],
  ["German Option 5 on a Mac", { key: "[", code: "Digit5", altKey: true }, "light.darker"],
  ["Spanish AltGr 2", { key: "@", code: "Digit2", ...altGr("Linux") }, undefined],
  ["Spanish AltGr 2 on Windows", { key: "@", code: "Digit2", ...altGr("Windows") }, undefined],
  ["Option 1 on a Mac", { key: "¡", code: "Digit1", altKey: true }, undefined],
  ["a dead key with AltGr", { key: "Dead", code: "Digit2", ...altGr("Linux") }, undefined],
  ["Dvorak . where E is", { key: ".", code: "KeyE" }, "object.next"],
  ["Dvorak , where W is", { key: ",", code: "KeyW" }, "object.previous"],
  ["Colemak ; where P is", { key: ";", code: "KeyP" }, "draw.mode"],
  ["Turkish ı", { key: "ı", code: "KeyI" }, undefined],
  ["Polish ą", { key: "ą", code: "KeyA", ...altGr("Linux") }, undefined],
  ["Hebrew /", { key: "/", code: "KeyQ" }, undefined],
  ["Arabic 3", { key: "٣", code: "Digit3" }, "class:class2"],
  ["Russian х", { key: "х", code: "BracketLeft" }, "light.darker"],
  ["Russian Ctrl я", { key: "я", code: "KeyZ", ctrlKey: true }, "undo"],
  ["Korean ㅂ", { key: "ㅂ", code: "KeyQ" }, "view:Left"],
];
for (const [what, press, command] of SEEN) {
  test(`${what} is ${command ?? "nothing"}`, () => assert.equal(run(fill(press), commandOf), command));
}

test("a person's own sign goes before the digit of its key", () => {
  const changed = { "show.labels": ["é"] };
  const keymap = buildKeymap(PARTY_OF_TWENTY, ["class0", "class1"], "labelimg", "annotate", changed);
  assert.equal(run(fill({ key: "é", code: "Digit2" }), keymap.commandOf), "show.labels");
});

test("a digit is that of the sign or of its key, but not of a sign made with AltGr", () => {
  for (const [press, digit] of /** @type {const} */ ([
    [{ key: "3", code: "Digit3" }, "3"],
    [{ key: "3", code: "Numpad3" }, "3"],
    [{ key: "PageDown", code: "Numpad3" }, null],
    [{ key: '"', code: "Digit3" }, "3"],
    [{ key: "3", code: "Digit3", shiftKey: true }, "3"],
    [{ key: "#", code: "Digit3", shiftKey: true }, null],
    [{ key: "3", code: "Digit3", ctrlKey: true }, null],
    [{ key: "[", code: "Digit8", ...altGr("Windows") }, null],
    [{ key: "[", code: "Digit5", altKey: true }, null],
  ])) {
    assert.equal(digitOf(fill(press)), digit, JSON.stringify(press));
  }
});

/**
 * Every press of the layout: plain, with Shift, signs with AltGr, the number pad and the named keys.
 * @param {{plain: string, shift: string, altGr?: string}} layout
 * @param {string} system
 */
function listPresses({ plain, shift, altGr: signs = "" }, system) {
  const rows = (/** @type {string} */ keys, /** @type {boolean} */ shiftKey) =>
    [...keys.replaceAll(" ", "")].map((key, at) => fill({ key: nameOf(key), code: CODES[at], shiftKey }));
  const made = signs
    .split(" ")
    .filter(Boolean)
    .map((entry) => fill({ key: nameOf(entry.slice(-1)), code: entry.slice(0, -1), ...altGr(system) }));
  const pad = Array.from({ length: 10 }, (_, digit) => fill({ key: String(digit), code: `Numpad${digit}` }));
  const named = "Enter Delete Backspace Escape Home ArrowLeft ArrowRight ArrowUp ArrowDown"
    .split(" ")
    .map((key) => fill({ key, code: key }));
  return [
    ...rows(plain, false),
    ...rows(shift, true),
    ...made,
    ...pad,
    ...named,
    fill({ key: " ", code: "Space" }),
  ];
}

/** @param {string} sign */
function nameOf(sign) {
  return sign === "¤" ? "Dead" : sign;
}

/**
 * The press alone, and with what commands hold with it; Ctrl is the command key of a Mac.
 * @param {KeyPress} press
 */
function heldWith(press) {
  if (isMadeWithAltGr(press)) return [press];
  const held = [press, { ...press, ctrlKey: true }, { ...press, metaKey: true }, { ...press, altKey: true }];
  const isNamed = press.key.length > 1;
  return isNamed ? [...held, ...held.map((chord) => ({ ...chord, shiftKey: true }))] : held;
}

/** How a system says that AltGr is held; a Mac has Option. @param {string} system */
function altGr(system) {
  if (system === "macOS") return { altKey: true };
  const isOld = system === "Windows";
  return {
    ctrlKey: isOld,
    altKey: isOld,
    getModifierState: (/** @type {string} */ key) => key === "AltGraph",
  };
}

/** @param {KeyPress} press */
function isMadeWithAltGr(press) {
  return press.altKey || press.getModifierState?.("AltGraph") === true;
}

/** @param {KeyPress} press @param {ReadonlyMap<string, string>} map */
function run(press, map) {
  return findCommand(press, (chord) => map.get(chord));
}

/** @param {KeyPress} press */
function say({ key, code }) {
  return `${key} on ${code}`;
}

/**
 * @param {Partial<KeyPress>} press
 * @returns {KeyPress}
 */
function fill(press) {
  return { key: "", code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...press };
}
