import { isSecretKey, REMOVED, type Redacted, redactText } from '../../../ground/model/redact-text.ts'
import { planTextRemover } from './texts-of-plan.ts'

/** Removes from a text what a roll file says in its commands and URLs. */
export type PlanRemover = ReturnType<typeof planTextRemover>

const REMOVES_NOTHING: PlanRemover = (value) => ({ value, removed: 0 })

/** For what else is made from a run: reasons and the last output of commands repeat the words of its roll file. */
export function planRemover(journal: string): PlanRemover {
  const walk = new Walk(REMOVES_NOTHING)
  for (const line of journal.split('\n')) {
    const entry = parseLine(line)
    if (isPlan(entry)) walk.cleaned(entry.spec)
  }
  return planTextRemover(walk.found)
}

const isPlan = (entry: unknown): entry is { readonly spec: unknown } =>
  typeof entry === 'object' &&
  entry !== null &&
  'spec' in entry &&
  'type' in entry &&
  (entry.type === 'planned' || entry.type === 'amended')

/** A JSON value of the same shape without anything that looks like a secret. */
export function redactValue<T>(value: T, ofPlan = REMOVES_NOTHING): Redacted<T> {
  const walk = new Walk(ofPlan)
  // The shape stays: a text replaces a text.
  return { value: walk.cleaned(value) as T, removed: walk.removed }
}

/** JSON Lines, each line by itself. A line that is not JSON, such as one that a crash cut off, is redacted as text. */
export function redactLines(text: string): Redacted<string> {
  const ofPlan = planRemover(text)
  let removed = 0
  const lines = text.split('\n').map((line) => {
    const redacted = redactLine(line, ofPlan)
    removed += redacted.removed
    return redacted.value
  })
  return { value: lines.join('\n'), removed }
}

function redactLine(line: string, ofPlan: PlanRemover): Redacted<string> {
  const parsed = parseLine(line)
  if (parsed === undefined) return both(line, ofPlan)
  const { value, removed } = redactValue(parsed, ofPlan)
  // A line without a secret stays as it was written, byte for byte.
  return removed === 0 ? { value: line, removed } : { value: JSON.stringify(value), removed }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** The words of the plan first: they are found as they were written. */
function both(text: string, ofPlan: PlanRemover): Redacted<string> {
  const { value: rest, removed } = ofPlan(text)
  const redacted = redactText(rest)
  return { value: redacted.value, removed: removed + redacted.removed }
}

type Fields = Readonly<Record<string, unknown>>

/** The fields with commands in a roll file: of the reboot, a balancer, a hook, a gate, and a machine whose addresses move. */
const COMMANDS: ReadonlySet<string> = new Set([
  ...['command', 'argv', 'detach', 'attach', 'status', 'cut'],
  ...['run', 'undo', 'moveAway', 'moveBack'],
])

/** Gates, by `kind`: the path of their URL may have a key in it, as that of a webhook has. */
const GATES_WITH_URL: ReadonlySet<unknown> = new Set(['http', 'prometheus'])

class Walk {
  removed = 0
  readonly found = { commands: [] as (readonly string[])[], words: new Set<string>(), urls: new Set<string>() }
  readonly #ofPlan: PlanRemover

  constructor(ofPlan: PlanRemover) {
    this.#ofPlan = ofPlan
  }

  cleaned(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value)
    if (Array.isArray(value)) return this.#list(value)
    return typeof value === 'object' && value !== null ? this.#object(value as Fields) : value
  }

  #text(text: string): string {
    const { value, removed } = both(text, this.#ofPlan)
    this.removed += removed
    return value
  }

  /** In a command the value of `--token` is the next word. */
  #list(items: readonly unknown[]): readonly unknown[] {
    return items.map((item, i) => {
      const before: unknown = items[i - 1]
      const isValue = typeof before === 'string' && (isSecretFlag(before) || isUserFlag(before, item))
      return isValue && typeof item === 'string' ? this.#emptied(item) : this.cleaned(item)
    })
  }

  #object(fields: Fields): unknown {
    if (fields.kind === 'Config' && ('users' in fields || 'clusters' in fields)) return this.#emptied(fields)
    const { name, kind } = fields
    const isNamedSecret = typeof name === 'string' && isSecretKey(name)
    return Object.fromEntries(
      Object.entries(fields).map(([key, value]) => {
        if (COMMANDS.has(key) && Array.isArray(value)) return [key, this.#command(value)]
        if (key === 'url' && typeof value === 'string' && GATES_WITH_URL.has(kind)) return [key, this.#origin(value)]
        if (key === 'at' && isUrlOf(value)) return [key, { ...value, url: this.#origin(value.url) }]
        // The body of a notification: some receivers want their key in it.
        const isSecret = isSecretKey(key) || (isNamedSecret && key === 'value') || key === 'template'
        return [this.#text(key), isSecret ? this.#emptied(value) : this.cleaned(value)]
      }),
    )
  }

  /** A command of the roll file may contain the password of a management controller anywhere. Its program and its flags stay. */
  #command(words: readonly unknown[]): readonly unknown[] {
    const texts = words.filter((word) => typeof word === 'string')
    const secrets = texts.slice(1).filter((word) => !isPlainWord(word))
    if (secrets.length > 0) this.found.commands.push(texts)
    for (const word of secrets) this.found.words.add(word)
    return words.map((word, i) => (i === 0 || isPlainWord(word) ? this.cleaned(word) : this.#emptied(word)))
  }

  /** The path of a webhook is often its secret. */
  #origin(url: string): string {
    this.found.urls.add(url)
    const { value, removed } = redactText(url)
    const [origin = ''] = /^[a-z]+:\/\/[^/]*/i.exec(value) ?? []
    if (value === `${origin}/${REMOVED}`) {
      this.removed += removed
      return value
    }
    this.removed += 1
    return `${origin}/${REMOVED}`
  }

  /** Removes every text and number of a secret; its shape stays. */
  #emptied(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#emptied(item))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, field]) => [this.#text(key), this.#emptied(field)]))
    if (typeof value === 'boolean' || value === null || value === '' || value === REMOVED) return value
    this.removed += 1
    return REMOVED
  }
}

const isSecretFlag = (word: string): boolean => /^--?[\w-]+$/.test(word) && isSecretKey(word)

/** Flags, placeholders, and the words of usual reboot commands. A letter with its value in the same word is not one of them. */
const isPlainWord = (word: unknown): boolean =>
  typeof word === 'string' &&
  /^(?:--[a-z][\w-]*|-[a-z]|\{(?:node|address|port|bootId)\}|detach|attach|status|cut|sudo|systemctl|reboot|shutdown|now|needs-restarting)$/i.test(
    word,
  )

const isUrlOf = (value: unknown): value is { readonly url: string } =>
  typeof value === 'object' && value !== null && 'url' in value && typeof value.url === 'string'

const isUserFlag = (word: string, next: unknown): boolean =>
  /^(?:-[a-z]*u|--(?:proxy-)?user)$/i.test(word) && typeof next === 'string' && next.includes(':')
