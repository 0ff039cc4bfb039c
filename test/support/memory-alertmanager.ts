import { WorldError } from '../../src/ground/model/world-error.ts'
import type { SilenceSpec } from '../../src/roll/model/silence-spec.ts'
import type { NewSilence, Silencer, SilenceText } from '../../src/roll/ports/silencer.ts'

export const SILENCE: SilenceSpec = {
  name: 'am',
  url: 'http://am:9093',
  matchers: [
    { name: 'instance', value: '{address}(:[0-9]+)?', regex: true },
    { name: 'node', value: '{node}', regex: false },
  ],
  durationMs: 60_000,
  timeoutMs: 2_000,
  onFailure: 'ignore',
  headers: [{ name: 'authorization', value: { env: 'T' } }],
}

/** Silences as Alertmanager keeps them: each until it is expired, or its end. */
export class MemoryAlertmanager implements Silencer {
  readonly puts: NewSilence[] = []
  readonly standing = new Map<string, NewSilence>()
  fault: string | 'hangs' | undefined
  /** It makes a silence and its answer is lost. */
  losesAnswers = false

  async put(silence: NewSilence, signal: AbortSignal): Promise<string> {
    await this.#down(signal)
    if (silence.id !== undefined && !this.standing.has(silence.id))
      throw new WorldError('Alertmanager answered 404', { code: 'SILENCE_GONE', retry: 'backoff' })
    this.puts.push(silence)
    const id = silence.id ?? `id-${this.puts.length}`
    this.standing.set(id, silence)
    if (this.losesAnswers)
      throw new WorldError('the request failed: ECONNRESET', { code: 'HOOK_FAILED', retry: 'backoff' })
    return id
  }

  async find({ comment }: SilenceText, signal: AbortSignal): Promise<readonly string[]> {
    await this.#down(signal)
    return [...this.standing].flatMap(([id, silence]) => (silence.comment === comment ? [id] : []))
  }

  async expire({ id }: { readonly id: string }, signal: AbortSignal): Promise<void> {
    await this.#down(signal)
    this.standing.delete(id)
  }

  async #down(signal: AbortSignal): Promise<void> {
    if (this.fault === 'hangs')
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    if (this.fault !== undefined) throw new WorldError(this.fault, { code: 'SILENCE_REFUSED', retry: 'backoff' })
  }
}
