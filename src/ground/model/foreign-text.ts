/** What JSON leaves as it is: DEL, C1, the line separators of Unicode, and every control that changes the direction of text. */
const HARMFUL_IN_JSON = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** C0, DEL, C1, the line separators of Unicode, and every control that changes the direction of text. */
const HARMFUL = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

const escapeOne = (char: string): string => {
  const code = char.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

/**
 * Text from outside (pod names, HTTP errors, answers of balancers), made safe for a terminal and a report: one line, no control
 * characters, at most `limit` characters before the escapes.
 *
 * Law: text from outside cannot steer a terminal.
 */
export function escapeForeign(text: string, limit = 500): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}...` : text
  return cut.toWellFormed().replace(HARMFUL, escapeOne)
}

/** A value as JSON that people may read on a terminal: the same value, without control characters. */
export const shownJson = (
  value: unknown,
  replacer: ((key: string, value: unknown) => unknown) | null = null,
  indent = 0,
): string => asUnicodeEscapes(JSON.stringify(value, replacer ?? undefined, indent), HARMFUL_IN_JSON)

/** In JSON such a sign is in a text, and there its escape is the same text. */
export const asUnicodeEscapes = (json: string, signs: RegExp): string =>
  json.replace(signs, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
