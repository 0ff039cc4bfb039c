import { REMOVED, type Redacted } from '../../../ground/model/redact-text.ts'

/** What a roll file says in its commands and URLs, and what has to go from texts as well. */
interface PlanTexts {
  /** Of each command its words, the program first. */
  readonly commands: readonly (readonly string[])[]
  /** Arguments that may be secrets. */
  readonly words: ReadonlySet<string>
  readonly urls: ReadonlySet<string>
}

/** A shorter word is part of too many sentences, and too short to be a secret. */
const SHORTEST = 4
const PLACEHOLDER = /\{(?:node|address|port|bootId)\}/

/**
 * Removes them from one text: the arguments of a whole command as a person types it, a word wherever it stands, and a path behind its
 * host and behind others. A value of one word stays: it is a kind, a name or an address, and the report is made from those.
 */
export function planTextRemover({ commands, words, urls }: PlanTexts): (text: string) => Redacted<string> {
  const places = [...urls].flatMap(placeOf)
  const paths = anyOf(places.flatMap(({ origin, path }) => [behind(origin), ...(path === '' ? [] : [path])]))
  const said = anyOf([...commands.flatMap(argumentsOf), ...longestFirst(words).map(asWord)])
  return (text) => {
    let removed = 0
    const without = (value: string, pattern: RegExp | undefined): string =>
      pattern === undefined
        ? value
        : value.replace(pattern, () => {
            removed += 1
            return REMOVED
          })
    const pathless = without(text, paths)
    return { value: /\s/.test(pathless) ? without(pathless, said) : pathless, removed }
  }
}

const anyOf = (patterns: readonly string[]): RegExp | undefined =>
  patterns.length === 0 ? undefined : new RegExp(patterns.join('|'), 'g')

const longestFirst = (words: ReadonlySet<string>): readonly string[] =>
  [...words]
    .filter((word) => word.replaceAll(new RegExp(PLACEHOLDER, 'g'), '').length >= SHORTEST && !REMOVED.includes(word))
    .sort((one, other) => other.length - one.length)

/** The whole path up to the end of the URL, however it was written: one that is asked may be longer than that of the file. */
const behind = (origin: string): string =>
  String.raw`(?<=${RegExp.escape(origin)}/)(?!\[removed\])[^\s"'<>]*[^\s"'<>,;]`

function placeOf(url: string): readonly { readonly origin: string; readonly path: string }[] {
  if (!URL.canParse(url)) return []
  const { protocol, host, pathname } = new URL(url)
  const path = pathname.slice(1)
  return [{ origin: `${protocol}//${host}`, path: path.length < SHORTEST ? '' : `(?<=/)${asWord(path)}` }]
}

/** As `byHand` writes it, with what takes the place of a placeholder. */
function argumentsOf([program = '', ...rest]: readonly string[]): readonly string[] {
  if (rest.length === 0) return []
  return [`(?<=${either(program)} )${rest.map(either).join(' ')}`]
}

/** A word as it is, or between the single quotes of a shell. */
const either = (word: string): string => `(?:'${filled(word.replaceAll("'", `'\\''`))}'|${filled(word)})`

const filled = (word: string): string => word.split(PLACEHOLDER).map(RegExp.escape).join(`[^\\s']*`)

/** Not as a part of a longer word. */
const asWord = (word: string): string =>
  `${/^\w/.test(word) ? String.raw`(?<!\w)` : ''}${either(word)}${/\w$/.test(word) ? String.raw`(?!\w)` : ''}`
