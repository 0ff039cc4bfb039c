import { isSecretKey, REMOVED, type Redacted, redactText } from '../../../ground/model/redact-text.ts'

/** A JSON value of the same shape without anything that looks like a secret. */
export function redactValue<T>(value: T): Redacted<T> {
  const walk = new Walk()
  // The shape stays: a text replaces a text.
  return { value: walk.cleaned(value) as T, removed: walk.removed }
}

/** JSON Lines, each line by itself. A line that is not JSON, such as one that a crash cut off, is redacted as text. */
export function redactLines(text: string): Redacted<string> {
  let removed = 0
  const lines = text.split('\n').map((line) => {
    const redacted = redactLine(line)
    removed += redacted.removed
    return redacted.value
  })
  return { value: lines.join('\n'), removed }
}

function redactLine(line: string): Redacted<string> {
  const parsed = parseLine(line)
  if (parsed === undefined) return redactText(line)
  const { value, removed } = redactValue(parsed)
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

  cleaned(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value)
    if (Array.isArray(value)) return this.#list(value)
    return typeof value === 'object' && value !== null ? this.#object(value as Fields) : value
  }

  #text(text: string): string {
    const { value, removed } = redactText(text)
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
    return words.map((word, i) => (i === 0 || isPlainWord(word) ? this.cleaned(word) : this.#emptied(word)))
  }

  /** The path of a webhook is often its secret. */
  #origin(url: string): string {
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
