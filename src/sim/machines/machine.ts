import type { Timers } from '../../ground/ports/timers.ts'
import type { SeededRandom } from '../clocks/seeded-random.ts'
import { newUid } from '../world/world.ts'
import type { BootLuck } from './boot-luck.ts'
import { Lifetime } from './lifetime.ts'

export interface Boot {
  /** The content of /proc/sys/kernel/random/boot_id until the next boot. */
  readonly id: string
  readonly luck: BootLuck
}

/** What a machine runs while it has power. */
export interface MachineServices {
  start(boot: Boot): void
  /** Every process is told to end; `ended` is called once, when the last one has. */
  stop(ended: () => void): void
  /** The power is gone: nothing that ran does anything any more. */
  cut(): void
}

interface MachineParts {
  readonly name: string
  readonly timers: Timers
  readonly random: SeededRandom
  readonly services: MachineServices
  /** How long a service may hold up its stop (logind.conf, InhibitDelayMaxSec), before the limit of all others. */
  readonly holdUpMs?: number
  /** How long it is dark between the end of one boot and the start of the next. */
  readonly darkMs?: number
}

/** From the command to the first SIGTERM, and until the rest is killed (measured: 0.03 s; a stop limit of 5 s). */
const STOP_LAG_MS = 30
const STOP_LIMIT_MS = 5_000
const DARK_MS = 2_000

/** A machine with its power supply. New ones are dark. */
export class Machine {
  readonly name: string
  readonly #parts: MachineParts
  #bootLuck: BootLuck | undefined
  #state: 'dark' | 'on' | 'stopping' = 'dark'
  #bootId: string | undefined
  #boots = 0
  #luck: BootLuck = { kind: 'returns' }
  #rebootRequired: readonly string[] | undefined
  /** Timers of the present state; none of them runs in the next one. */
  #next: Lifetime

  constructor(parts: MachineParts) {
    this.name = parts.name
    this.#parts = parts
    this.#next = new Lifetime(parts.timers)
  }

  /** It takes commands; not while it goes down. */
  get isOn(): boolean {
    return this.#state === 'on'
  }

  /** As the machine itself reports it; undefined where it cannot be asked. */
  get bootId(): string | undefined {
    return this.isOn ? this.#bootId : undefined
  }

  /** How the boot went that it runs; undefined where it runs none. */
  get bootLuck(): BootLuck | undefined {
    return this.isOn ? this.#bootLuck : undefined
  }

  /** How often it has booted. */
  get boots(): number {
    return this.#boots
  }

  /** Packages that wait for a reboot, as its `reboot-required.pkgs` lists them; absent where that file's sentinel is. */
  get rebootRequired(): readonly string[] | undefined {
    return this.#rebootRequired
  }

  /** An update was installed. The note of it lies in /run, and is gone with this boot. */
  requireReboot(packages: readonly string[]): void {
    this.#rebootRequired = packages
  }

  /** Of every boot from now on. */
  setLuck(luck: BootLuck): void {
    this.#luck = luck
  }

  /** `systemctl reboot`. False: it takes no commands, and nothing was done. */
  reboot(darkMs = this.#parts.darkMs ?? DARK_MS): boolean {
    if (!this.isOn) return false
    const next = this.#enter('stopping')
    const goDark = (): void => {
      if (next.isOver) return
      this.#goDark()
      this.#returnAfter(darkMs)
    }
    next.later(STOP_LAG_MS, () => {
      next.later(STOP_LIMIT_MS + (this.#parts.holdUpMs ?? 0), goDark)
      this.#parts.services.stop(goDark)
    })
    return true
  }

  /** And it stays off. */
  powerCut(): void {
    this.#goDark()
  }

  /** The button: it boots at once where it is dark, whatever it was to wait for. */
  powerOn(): void {
    if (this.#state === 'dark') this.#boot()
  }

  /** A power cycle from outside, whatever state it is in. */
  reset(darkMs = this.#parts.darkMs ?? DARK_MS): void {
    this.#goDark()
    this.#returnAfter(darkMs)
  }

  #goDark(): void {
    const hadPower = this.#state !== 'dark'
    this.#enter('dark')
    if (hadPower) this.#parts.services.cut()
  }

  #returnAfter(darkMs: number): void {
    const luck = this.#luck
    if (luck.kind === 'never') return
    this.#next.later(luck.kind === 'slow' ? darkMs + luck.byMs : darkMs, () => this.#boot())
  }

  #boot(): void {
    this.#enter('on')
    this.#bootId = newUid(this.#parts)
    this.#boots += 1
    this.#rebootRequired = undefined
    this.#bootLuck = this.#luck
    this.#parts.services.start({ id: this.#bootId, luck: this.#luck })
  }

  #enter(state: 'dark' | 'on' | 'stopping'): Lifetime {
    this.#next.end()
    this.#next = new Lifetime(this.#parts.timers)
    this.#state = state
    return this.#next
  }
}
