import { type ParseArgsConfig, parseArgs } from 'node:util'
import { parseDuration } from '../model/duration.ts'
import { UserError } from '../model/user-error.ts'

type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

/** The owner of the flags, such as `agent`, and the code of errors about them. */
interface FlagOwner {
  readonly command: string
  readonly code: string
}

/** Throws UserError where there are unknown flags. */
export function parsedFlags(
  args: readonly string[],
  options: NonNullable<ParseArgsConfig['options']>,
  owner: FlagOwner,
): FlagValues {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values as FlagValues
  } catch (error) {
    if (error instanceof TypeError) throw flagsRefused([error.message.split('. ')[0] ?? error.message], owner)
    throw error
  }
}

/** One error with everything that is wrong. */
export const flagsRefused = (wrong: readonly string[], { command, code }: FlagOwner): UserError =>
  new UserError(wrong.length === 1 ? (wrong[0] ?? '') : `${wrong.length} options of the ${command} are wrong.`, {
    code,
    fix: `evenkeel ${command} --help lists them`,
    ...(wrong.length === 1 ? {} : { details: wrong.map((text) => `error: ${text} (${code})`) }),
  })

/** DNS label (RFC 1123): the form of a namespace's name. */
export const isNamespace = (text: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)

/** Reads one flag after the other and notes the faults of each. */
export class FlagReader {
  readonly wrong: string[] = []
  readonly #values: FlagValues

  constructor(values: FlagValues) {
    this.#values = values
  }

  value(flag: string): FlagValues[string] {
    return this.#values[flag]
  }

  text(flag: string): string | undefined {
    const value = this.#values[flag]
    return typeof value === 'string' ? value : undefined
  }

  optional<T>(flag: string, read: (flag: string) => T): T | undefined {
    return this.text(flag) === undefined ? undefined : read(flag)
  }

  namespace(flag: string): string {
    const namespace = this.text(flag) ?? ''
    if (!isNamespace(namespace)) this.wrong.push(`--${flag}: "${namespace}" names no namespace`)
    return namespace
  }

  /** DNS subdomain (RFC 1123): the form of a node's name. */
  node(flag: string, name = this.text(flag) ?? ''): string {
    if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) this.wrong.push(`--${flag}: "${name}" names no node`)
    return name
  }

  port(flag: string, text = this.text(flag) ?? ''): number {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
    if (port < 0 || port > 65_535) this.wrong.push(`--${flag}: "${text}" is no port: write 1 to 65535`)
    return port
  }

  /** `least`: in the written form. */
  duration(flag: string, leastMs = 0, least = ''): number {
    const found = parseDuration(this.text(flag) ?? '')
    if ('error' in found) {
      this.wrong.push(`--${flag}: ${found.error}`)
      return leastMs
    }
    if (found.ms < leastMs) this.wrong.push(`--${flag}: write ${least} or more`)
    return found.ms
  }
}
