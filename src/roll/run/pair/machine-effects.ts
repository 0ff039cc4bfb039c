import { DeadlineError } from '../../../ground/loop/deadline.ts'
import type { RebootAnswer } from '../../../ground/model/host.ts'
import { runOfOwner } from '../../../ground/model/slot.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Host } from '../../../ground/ports/host.ts'
import type { Programs } from '../../../ground/ports/programs.ts'
import { type ServerRef, serverKey } from '../../../service/model/balancer.ts'
import type { Balancer } from '../../../service/ports/balancer.ts'
import type { LeaseKeeper } from '../../../service/run/lease-keeper.ts'
import type { MachineOutcome } from '../../decide/pair/observe-machine.ts'
import type { MachineAction, MachinePlace, PairMachine } from '../../model/host-pair.ts'
import type { HostMachines } from '../../ports/host-machines.ts'
import type { HookRunner } from '../hooks/hook-runner.ts'
import { startHook } from '../hooks/start-hook.ts'
import { rebootWords } from '../reboot-words.ts'
import { EFFECT_LIMIT_MS, SlotBound, slotLapsed } from '../slot-bound.ts'

interface MachineEffectsParts {
  readonly keeper: LeaseKeeper
  readonly host: Host
  readonly machines?: HostMachines
  readonly programs?: Programs
  readonly balancers: readonly Balancer[]
  readonly clock: Clock
  /** Absent: no hook can run. */
  readonly hooks?: HookRunner
}

/** Does one thing to one machine and says how it went; never decides. Nothing is sent once the slot has lapsed. */
export class MachineEffects {
  readonly #parts: MachineEffectsParts
  readonly #bound: SlotBound

  constructor(parts: MachineEffectsParts) {
    this.#parts = parts
    this.#bound = new SlotBound(parts)
  }

  async perform(action: MachineAction, place: MachinePlace, signal: AbortSignal): Promise<MachineOutcome> {
    try {
      return await this.#do(action, place, signal)
    } catch (error) {
      if (!(error instanceof WorldError || error instanceof DeadlineError)) throw error
      return { ok: false, error: error.message }
    }
  }

  async #do(action: MachineAction, place: MachinePlace, signal: AbortSignal): Promise<MachineOutcome> {
    switch (action.kind) {
      case 'takeSlot':
        return this.#takeSlot(place.host, action.takeStale === true, signal)
      case 'releaseSlot':
        return this.#releaseSlot(signal)
      case 'moveAway':
        return this.#move(place, place.pair.moveAway, signal)
      case 'moveBack':
        return this.#move(place, place.pair.moveBack, signal)
      case 'reboot':
        return this.#reboot(place.host, action.bootId, signal)
      case 'restoreServer':
        return this.#setServer(action, signal)
      case 'runHook':
      case 'undoHook':
        return startHook(action, this.#parts)
      case 'record':
        this.#parts.hooks?.begin(place.host.name)
        return { ok: true }
      case 'proven':
        return { ok: true }
    }
  }

  async #takeSlot({ name }: PairMachine, takeStale: boolean, signal: AbortSignal): Promise<MachineOutcome> {
    const answer = await this.#parts.keeper.acquire({ node: name, isMachine: true, takeStale }, signal)
    if (answer.kind === 'held') return { ok: true }
    if (answer.kind === 'unanswered') {
      const text = `the slot cannot be taken: ${answer.error.message}`
      return { ok: false, error: text, slot: { code: 'ApiUnreachable', text } }
    }
    const { owner, staleInMs } = answer
    const left = staleInMs === 0 && owner?.isMachine !== true ? { isSlotLeft: true as const } : {}
    const holder = owner === undefined ? 'another owner' : `run ${runOfOwner(owner)}`
    const text = `${holder} has the slot${owner?.node === undefined ? '' : ` for ${owner.node}`}`
    return { ok: false, error: text, slot: { code: 'SlotTaken', text }, ...left }
  }

  async #releaseSlot(signal: AbortSignal): Promise<MachineOutcome> {
    const answer = await this.#parts.keeper.release(signal)
    if (answer.kind === 'stale') return { ok: false, error: answer.error.message }
    if (answer.kind !== 'unanswered') return { ok: true }
    const text = `the slot cannot be given back: ${answer.error.message}`
    return { ok: false, error: text, slot: { code: 'ApiUnreachable', text } }
  }

  async #move({ pair, host }: MachinePlace, command: readonly string[], signal: AbortSignal): Promise<MachineOutcome> {
    const { machines, programs } = this.#parts
    const limitMs = this.#bound.limitMs(pair.commandTimeoutMs)
    if (pair.runs === 'here') {
      if (programs === undefined) throw new WorldError('nothing here runs commands', NO_WAY)
      const argv = command.map((text) => text.replaceAll('{host}', host.name).replaceAll('{ssh}', host.ssh))
      const end = await programs.run(argv, limitMs, signal)
      if (end.kind === 'exited' && end.exitCode === 0) return { ok: true }
      const why = end.kind === 'exited' ? `exit code ${end.exitCode}` : end.why
      return { ok: false, error: 'output' in end && end.output !== '' ? `${why}: ${lastLine(end.output)}` : why }
    }
    if (machines === undefined) throw new WorldError('nothing here reaches machines', NO_WAY)
    const answer = await this.#bound.limited({ what: WHAT, limitMs }, signal, (limited) =>
      machines.run(host.ssh, { argv: command, limitMs }, limited),
    )
    return answer.ok ? { ok: true } : { ok: false, error: answer.text }
  }

  async #reboot(host: PairMachine, bootId: string, signal: AbortSignal): Promise<MachineOutcome> {
    const reboot = await this.#rebootAnswer(host, bootId, signal)
    const { ok, text } = rebootWords(reboot) ?? { ok: true, text: undefined }
    return ok ? { ok, reboot } : { ok, error: text ?? reboot.kind, reboot }
  }

  /** Renews first, so that the command has all the time that a slot can give. Without the slot the machine gets no command. */
  async #rebootAnswer({ ssh }: PairMachine, bootId: string, signal: AbortSignal): Promise<RebootAnswer> {
    const renewed = await this.#parts.keeper.renewNow(signal)
    if (renewed.kind === 'unanswered') return { kind: 'unsent', text: renewed.error.message }
    if (renewed.kind !== 'renewed') return { kind: 'unsent', text: slotLapsed.message }
    try {
      return await this.#bound.reboot(WHAT, { target: { node: ssh, address: ssh }, bootId }, signal)
    } catch (error) {
      if (error !== slotLapsed) throw error
      return { kind: 'unsent', text: slotLapsed.message }
    }
  }

  async #setServer(
    { ref, state, weight }: Extract<MachineAction, { kind: 'restoreServer' }>,
    signal: AbortSignal,
  ): Promise<MachineOutcome> {
    const balancer = this.#balancer(ref)
    await this.#bound.limited({ what: WHAT, limitMs: EFFECT_LIMIT_MS }, signal, async (limited) => {
      if (weight !== undefined) await balancer.setWeight?.(ref, weight, limited)
      if (state !== undefined) await balancer.setState(ref, state, limited)
    })
    return { ok: true }
  }

  #balancer(ref: ServerRef): Balancer {
    const balancer = this.#parts.balancers.find(({ instances }) => instances.includes(ref.instance))
    if (balancer === undefined) throw new WorldError(`no balancer has ${serverKey(ref)}`, NO_WAY)
    return balancer
  }
}

const WHAT = 'the machine'
const lastLine = (output: string): string => output.trim().split('\n').at(-1) ?? ''
const NO_WAY = { code: 'HOST_NO_WAY', retry: 'never' } as const
