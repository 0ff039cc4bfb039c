import { DeadlineError, withDeadline } from '../../../ground/loop/deadline.ts'
import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { filledUrlFault, fillHoldUrl } from '../../../ground/model/hold-url.ts'
import { UserError } from '../../../ground/model/user-error.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Objects } from '../../../ground/ports/objects.ts'
import type { Programs } from '../../../ground/ports/programs.ts'
import type { HoldSource } from '../../../guard/holds/hold-source.ts'
import { askObject } from '../../../guard/holds/object-hold.ts'
import type { ObjectRules } from '../../../guard/holds/object-rules.ts'
import { compared } from '../../decide/gates/compared.ts'
import type { GateAnswer, GateQuestion, GateSpec, SecretHeader } from '../../model/gate-spec.ts'
import type { SecretRef } from '../../model/notify-spec.ts'
import type { GateSource, NodePlace } from '../../ports/gate-source.ts'
import type { MetricQueries } from '../../ports/metric-queries.ts'
import { filledArguments } from '../filled-arguments.ts'
import { lastOutput } from '../last-output.ts'

interface AskerParts {
  readonly holds: HoldSource
  readonly metrics: MetricQueries
  readonly programs: Programs
  readonly objects: Pick<Objects, 'get'>
  readonly rules: ObjectRules
  /** Rejects with UserError where it cannot be read. */
  readonly secret: (ref: SecretRef) => Promise<string>
  readonly clock: Clock
}

type Question<Kind extends GateQuestion['kind']> = Extract<GateQuestion, { readonly kind: Kind }>

interface Asking {
  readonly place: NodePlace
  readonly timeoutMs: number
}

/**
 * Asks gates in the ways that they name, with the node filled in.
 *
 * Law: a gate that cannot be asked never passes.
 */
export class GateAsker implements GateSource {
  readonly #parts: AskerParts

  constructor(parts: AskerParts) {
    this.#parts = parts
  }

  async ask({ question, timeoutMs }: GateSpec, place: NodePlace, signal: AbortSignal): Promise<GateAnswer> {
    try {
      return await this.#asked(question, { place, timeoutMs }, signal)
    } catch (error) {
      signal.throwIfAborted()
      const isExpected = [WorldError, DeadlineError, UserError].some((kind) => error instanceof kind)
      if (!(error instanceof Error) || !isExpected) throw error
      return unknown(escapeForeign(error.message))
    }
  }

  #asked(question: GateQuestion, asking: Asking, signal: AbortSignal): Promise<GateAnswer> {
    switch (question.kind) {
      case 'http':
        return this.#http(question, asking, signal)
      case 'command':
        return this.#command(question, asking, signal)
      case 'prometheus':
        return this.#prometheus(question, asking, signal)
      case 'object':
        return this.#object(question, asking, signal)
    }
  }

  async #http(question: Question<'http'>, { place, timeoutMs }: Asking, signal: AbortSignal): Promise<GateAnswer> {
    const { kind, url: template, headers: named, ...same } = question
    const url = urlFor(template, place)
    const headers = await this.#headers(named)
    const answer = await this.#parts.holds.ask({ ...same, url, headers, timeoutMs }, signal)
    if (answer.kind === 'unknown') return unknown(answer.why)
    return { kind: answer.kind === 'clear' ? 'passes' : 'fails', text: answer.evidence }
  }

  async #command(
    { argv }: Question<'command'>,
    { place, timeoutMs }: Asking,
    signal: AbortSignal,
  ): Promise<GateAnswer> {
    const end = await this.#parts.programs.run(filledArguments(argv, place), timeoutMs, signal)
    const program = escapeForeign(argv[0] ?? '', 100)
    if (end.kind === 'notStarted') return unknown(`${program} could not be started: ${escapeForeign(end.why, 200)}`)
    const said = lastOutput(end.output)
    if (end.kind === 'killed') return unknown(`${program} ${end.why}${said}`)
    if (end.exitCode === 0) return { kind: 'passes', text: `${program} ended with exit code 0` }
    return { kind: 'fails', text: `${program} ended with exit code ${end.exitCode}${said}` }
  }

  async #prometheus(
    { url: base, query: template, expect, headers: named }: Question<'prometheus'>,
    { place, timeoutMs }: Asking,
    signal: AbortSignal,
  ): Promise<GateAnswer> {
    const [query = ''] = filledArguments([template], place)
    const headers = await this.#headers(named)
    const answer = await this.#parts.metrics.instant({ url: urlFor(base, place), query, headers, timeoutMs }, signal)
    return answer.kind === 'unknown' ? unknown(answer.why) : compared(answer.value, expect)
  }

  async #object(
    { passWhen, ...question }: Question<'object'>,
    { place, timeoutMs: limitMs }: Asking,
    signal: AbortSignal,
  ): Promise<GateAnswer> {
    const { clock } = this.#parts
    const answer = await withDeadline({ clock, limitMs, signal, what: 'the API server' }, (limited) =>
      askObject({ ...question, rule: passWhen }, { ...this.#parts, of: 'the roll file', node: place.node }, limited),
    )
    if (answer.kind === 'unknown') return unknown(answer.text)
    return { kind: answer.kind === 'true' ? 'passes' : 'fails', text: answer.text }
  }

  async #headers(named: readonly SecretHeader[]): Promise<Readonly<Record<string, string>>> {
    const read = named.map(async ({ name, value }) => [name, await this.#parts.secret(value)] as const)
    return Object.fromEntries(await Promise.all(read))
  }
}

const unknown = (text: string): GateAnswer => ({ kind: 'unknown', text })

function urlFor(template: string, { node, address }: NodePlace): string {
  if (address === undefined && template.includes('{address}')) throw noAddress(node)
  const url = fillHoldUrl(template, { node, address: address ?? '' })
  const fault = filledUrlFault(url)
  if (fault === undefined) return url
  throw new WorldError(`the URL cannot be used: ${fault}`, { code: 'GATE_URL', retry: 'never' })
}

const noAddress = (node: string): WorldError =>
  new WorldError(`${node} has no internal address`, { code: 'NO_ADDRESS', retry: 'backoff' })
