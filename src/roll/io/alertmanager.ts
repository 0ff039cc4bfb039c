import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { isJsonObject, jsonObject, jsonObjects } from '../../ground/model/json-object.ts'
import { present } from '../../ground/model/present.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { HookAnswer, HookCall } from '../ports/hook-call.ts'
import type { NewSilence, Silencer, SilenceText } from '../ports/silencer.ts'

const SHOWN_CHARACTERS = 160
const ID = /^[A-Za-z0-9-]{1,64}$/

/** Silences by version 2 of the API: https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml. */
export class Alertmanager implements Silencer {
  readonly #call: HookCall

  constructor(call: HookCall) {
    this.#call = call
  }

  async put({ url, headers, id, matchers, comment, ...times }: NewSilence, signal: AbortSignal): Promise<string> {
    const silence = {
      ...present({ id }),
      matchers: matchers.map((matcher) => ({ ...matcher, isEqual: true })),
      ...times,
      createdBy: 'evenkeel',
      comment,
    }
    const request = { url: apiUrl(url, 'silences'), headers, body: JSON.stringify(silence) }
    const answer = await this.#call.post(request, signal)
    if (id !== undefined && answer.status === 404) throw refused('SILENCE_GONE', answer)
    if (answer.status !== 200) throw refused('SILENCE_REFUSED', answer)
    const made = jsonObject(answer.body)?.silenceID
    if (typeof made === 'string' && ID.test(made)) return made
    throw unsure('Alertmanager answered 200 without the id of the silence')
  }

  async find({ url, headers, matchers, comment }: SilenceText, signal: AbortSignal): Promise<readonly string[]> {
    // For a silence with a regular expression, Alertmanager compares the text of the expression.
    const filters = matchers.map(({ name, value, isRegex }): [string, string] => [
      'filter',
      `${name}${isRegex ? '=~' : '='}${JSON.stringify(value)}`,
    ])
    const query = new URLSearchParams(filters)
    const request = { url: `${apiUrl(url, 'silences')}?${query}`, headers, body: '', method: 'GET' } as const
    const answer = await this.#call.post(request, signal)
    if (answer.status !== 200) throw refused('SILENCE_REFUSED', answer)
    const silences = jsonObjects(answer.body)
    if (silences === undefined) throw unsure('Alertmanager answered 200 without a list of silences')
    return silences.flatMap(({ id, createdBy, comment: said, status }) => {
      const hasEnded = isJsonObject(status) && status.state === 'expired'
      const isOurs = createdBy === 'evenkeel' && said === comment && !hasEnded
      return isOurs && typeof id === 'string' && ID.test(id) ? [id] : []
    })
  }

  async expire(
    { url, headers, id }: { url: string; headers: Readonly<Record<string, string>>; id: string },
    signal: AbortSignal,
  ): Promise<void> {
    const request = {
      url: apiUrl(url, `silence/${encodeURIComponent(id)}`),
      headers,
      body: '',
      method: 'DELETE',
    } as const
    const answer = await this.#call.post(request, signal)
    if (answer.status !== 200 && answer.status !== 404) throw refused('SILENCE_REFUSED', answer)
  }
}

function apiUrl(base: string, path: string): string {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v2/${path}`
  return url.href
}

/** The answer is not Alertmanager's, or is not as it should be: a silence may have been made. */
const unsure = (text: string): WorldError => new WorldError(text, { code: 'SILENCE_UNSURE', retry: 'backoff' })

/** Alertmanager explains a refusal by a text in JSON. A status of 5xx may come from a proxy in front of it. */
function refused(code: string, { status, body, retryAfterMs }: HookAnswer): WorldError {
  const said = body.trim() === '' ? '' : `: ${escapeForeign(body.trim().replace(/^"|"$/g, ''), SHOWN_CHARACTERS)}`
  return new WorldError(`Alertmanager answered ${status}${said}`, {
    code: status >= 500 ? 'SILENCE_UNSURE' : code,
    retry: 'backoff',
    ...present({ retryAfterMs }),
  })
}
