/** A reply that does not follow the API's schema; the message names the field. */
export class MalformedReply extends Error {
  override readonly name = 'MalformedReply'
}

/**
 * A value from outside, and its place. Reading an absent field gives the fallback; a field of the wrong type throws
 * MalformedReply. JSON's null counts as absent, as in the API.
 */
export class Untrusted {
  readonly #value: unknown
  readonly #name: string
  readonly #parent: Untrusted | undefined

  constructor(value: unknown, name: string, parent?: Untrusted) {
    this.#value = value
    this.#name = name
    this.#parent = parent
  }

  get path(): string {
    return this.#parent === undefined ? this.#name : `${this.#parent.path}.${this.#name}`
  }

  get absent(): boolean {
    return this.#value === undefined || this.#value === null
  }

  /** The raw value, for a reader with rules of its own. */
  get raw(): unknown {
    return this.#value
  }

  /** A field of this object; absent where this is absent. */
  at(name: string): Untrusted {
    if (this.absent) return new Untrusted(undefined, name, this)
    const fields = this.fields()
    return new Untrusted(Object.hasOwn(fields, name) ? fields[name] : undefined, name, this)
  }

  /** The raw fields of this object, which must exist. */
  fields(): Readonly<Record<string, unknown>> {
    const value = this.#value
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw this.#isNot('an object')
    return value as Readonly<Record<string, unknown>>
  }

  each(): readonly Untrusted[] {
    if (this.absent) return []
    if (!Array.isArray(this.#value)) throw this.#isNot('a list')
    return this.#value.map((item, index) => new Untrusted(item, String(index), this))
  }

  /** The text, which must exist and not be empty. */
  text(): string {
    const text = this.optionalText()
    if (text === undefined || text === '') throw new MalformedReply(`${this.path} is missing`)
    return text
  }

  optionalText(): string | undefined {
    if (this.absent) return undefined
    if (typeof this.#value !== 'string') throw this.#isNot('text')
    return this.#value
  }

  textOr(fallback: string): string {
    return this.optionalText() ?? fallback
  }

  optionalInteger(): number | undefined {
    if (this.absent) return undefined
    if (typeof this.#value !== 'number' || !Number.isSafeInteger(this.#value)) throw this.#isNot('an integer')
    return this.#value
  }

  integerOr(fallback: number): number {
    return this.optionalInteger() ?? fallback
  }

  flagOr(fallback: boolean): boolean {
    if (this.absent) return fallback
    if (typeof this.#value !== 'boolean') throw this.#isNot('true or false')
    return this.#value
  }

  /** IntOrString, as written. */
  optionalIntegerOrText(): string | undefined {
    return typeof this.#value === 'number' ? String(this.integerOr(0)) : this.optionalText()
  }

  textMap(): Readonly<Record<string, string>> {
    if (this.absent) return {}
    return Object.fromEntries(Object.keys(this.fields()).map((key) => [key, this.at(key).textOr('')]))
  }

  #isNot(expected: string): MalformedReply {
    return new MalformedReply(`${this.path} is not ${expected}`)
  }
}
