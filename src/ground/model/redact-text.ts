/** Written in place of a secret. */
export const REMOVED = '[removed]'

export interface Redacted<T> {
  readonly value: T
  /** How many values were removed. */
  readonly removed: number
}

const SECRET_WORDS =
  'tokens?|passw(?:or)?ds?|(?<![a-z])(?:pass|pwd)(?![a-z])|(?:routing|integration|user|signing)[-_]?keys?|passphrase|secrets?|authorization|credentials?|cookies?|api[-_ ]?keys?|access[-_]?keys?|private[-_]?keys?|client[-_]?(?:key|certificate)(?:[-_]?data)?'

/** By the end of the name, so that `accessToken` and `SLACK_TOKEN` are secrets and pod `token-service-0` is not. */
const SECRET_KEY = new RegExp(`(?:${SECRET_WORDS})(?:[-_]?(?:value|data|hash|key|id))?$`, 'i')

/** Whether the value of a field, header or variable of this name looks like a secret. */
export const isSecretKey = (key: string): boolean => SECRET_KEY.test(key)

/** Text that was removed already is not counted again. */
const KEPT = String.raw`(?!\s*\\*["']?\[removed\])`
/**
 * In quotes, which are escaped within a quoted text; otherwise up to the next space, because a password may have any other
 * character.
 */
const VALUE = String.raw`(?:(?<quote>\\*["']).*?(?:(?<!\\)\k<quote>|$)|[^\s"'\\]\S*)`
const URL_START = String.raw`(?<before>\b[a-z][a-z0-9+.-]{0,19}:\/\/`

/**
 * Each removes the text behind `before`. The order matters: a header is removed as a whole before its parts. Lengths are
 * limited, so that a long text with many beginnings does not take minutes.
 */
const PATTERNS: readonly RegExp[] = [
  /(?<before>)-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  new RegExp(String.raw`(?<before>authorization["'\\]*\s*[:=]\s*)${KEPT}[^\r\n]+`, 'gi'),
  new RegExp(String.raw`(?<before>cookie["'\\]*\s*[:=]\s*)${KEPT}[^\s=]+=[^\r\n]+`, 'gi'),
  new RegExp(String.raw`(?<before>\b(?:bearer|basic)\s+)${KEPT}[\w.~+/=-]{6,}`, 'gi'),
  /(?<before>)eyJ[\w-]{4,1000}\.[\w-]+(?:\.[\w-]*)*/g,
  /(?<before>)\b(?:xox[a-z]|xapp)-[\w.-]+/g,
  /(?<before>)\b(?:gh[a-z]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{10,}|AKIA[0-9A-Z]{16})\b/g,
  new RegExp(String.raw`${URL_START})${KEPT}[^\s/?#"'<>]+(?=@)`, 'gi'),
  // The path of a webhook is its secret.
  new RegExp(
    String.raw`${URL_START}(?:hooks\.slack\.com|(?:[\w-]+\.)*webhook\.office\.com|discord(?:app)?\.com\/api\/webhooks)\/)${KEPT}[^\s"'<>]+`,
    'gi',
  ),
  new RegExp(String.raw`${URL_START}[^\s?#"'<>]{0,8000}\?)${KEPT}[^\s#"'<>]+`, 'gi'),
  new RegExp(String.raw`(?<before>--[\w-]{0,30}(?:${SECRET_WORDS})(?:["'\\]*\s*,\s*|\s+|=))${KEPT}${VALUE}`, 'gim'),
  /(?<before>(?:^|\s)(?:-u|--user)[ =])(?!\[removed\])[^\s:]+:\S+/g,
  new RegExp(String.raw`(?<before>(?:${SECRET_WORDS})(?:[-_]?data|\w{0,40})["'\\]*\s*[:=]\s*)${KEPT}${VALUE}`, 'gim'),
]

const isKubeconfig = (text: string): boolean =>
  /["']?kind\\*["']?\s*:\s*\\*["']?Config\b/.test(text) && /\b(?:users|clusters)\\*["']?\s*:/.test(text)

/** The text without anything that looks like a secret. A second run changes nothing. */
export function redactText(text: string): Redacted<string> {
  if (isKubeconfig(text)) return { value: REMOVED, removed: 1 }
  let removed = 0
  let value = text
  for (const pattern of PATTERNS) {
    value = value.replace(pattern, (...found: unknown[]) => {
      removed += 1
      const { before, quote = '' } = found.at(-1) as { readonly before: string; readonly quote?: string }
      return `${before}${quote}${REMOVED}${quote}`
    })
  }
  return { value, removed }
}
