import { parseDuration } from '../../../../ground/model/duration.ts'
import type { KuredSettings } from '../../../../ground/model/kured-settings.ts'
import { splitWords } from '../split-words.ts'

/** What becomes of a flag of kured. */
export interface Carried {
  /** The field of the roll file that does the same; absent: it is not carried over. */
  readonly as?: string
  /** What differs, or why not. */
  readonly why: string
}

/** Asks the settings of kured by the names of its flags. Values are those that kured uses: of several, the last. */
export class KuredReader {
  readonly settings: KuredSettings

  constructor(settings: KuredSettings) {
    this.settings = settings
  }

  /** Every value, also those between commas. Empty: the flag is not there, or empty. */
  all(name: string): readonly string[] {
    const given = this.settings.flags.filter((flag) => flag.name === name).map(({ value = '' }) => value)
    return given
      .flatMap((value) => value.split(','))
      .map((value) => value.trim())
      .filter((value) => value !== '')
  }

  /** Each value whole. */
  each(name: string): readonly string[] {
    return this.settings.flags
      .filter((flag) => flag.name === name)
      .map(({ value = '' }) => value.trim())
      .filter((value) => value !== '')
  }

  text(name: string): string | undefined {
    return this.each(name).at(-1)
  }

  /** A switch without a value is on. */
  isOn(name: string): boolean {
    const found = this.settings.flags.findLast((flag) => flag.name === name)
    return found !== undefined && /^(1|t|true)?$/i.test(found.value ?? '')
  }

  /** Undefined: not given, 0 or not valid. */
  durationMs(name: string): number | undefined {
    const parsed = parseDuration(this.text(name) ?? '0')
    return 'ms' in parsed && parsed.ms > 0 ? parsed.ms : undefined
  }

  /** Undefined: not given, negative or not valid. */
  wholeNumber(name: string): number | undefined {
    const text = this.text(name) ?? ''
    return /^\d{1,9}$/.test(text) ? Number(text) : undefined
  }

  /** A command line of kured, which it splits as a shell does. */
  words(name: string): readonly string[] | undefined {
    const words = splitWords(this.text(name) ?? '')
    return words === undefined || words.length === 0 ? undefined : words
  }

  /** The file by which a machine says that it needs a reboot. */
  sentinel(): string {
    const path = this.#onMachine(this.text('reboot-sentinel') ?? SENTINEL)
    return PATH.test(path) ? path : SENTINEL
  }

  /** The path on the machine of a path in kured's pod. */
  #onMachine(path: string): string {
    const found = this.settings.mounts.find((mount) => path.startsWith(`${mount.path.replace(/\/$/, '')}/`))
    if (found === undefined) return path
    return found.hostPath.replace(/\/$/, '') + path.slice(found.path.replace(/\/$/, '').length)
  }
}

/** kured's own default. */
const SENTINEL = '/var/run/reboot-required'
const PATH = /^\/[^\u0000-\u001f\u007f]*[^/\u0000-\u001f\u007f]$/

const DAY_MS = 24 * 3_600_000

/** In the form of a roll file, within the bounds of its fields. */
export function durationText(ms: number, fromMs = 0): string {
  const seconds = Math.ceil(Math.min(Math.max(ms, fromMs), DAY_MS) / 1000)
  if (seconds > 0 && seconds % 3600 === 0) return `${seconds / 3600}h`
  return seconds > 0 && seconds % 60 === 0 ? `${seconds / 60}min` : `${seconds}s`
}
