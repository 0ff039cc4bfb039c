import type { Answer } from '../../service/model/answer.ts'

interface HttpAnswer {
  readonly status: number
  /** The reason phrase of the status line, if the usual one does not fit the answer. */
  readonly reason?: string
  readonly body: string
}

export type DialectName = 'plain' | 'disable-on-404' | 'body' | 'f5'

/**
 * What a health check reads, by what it understands.
 *
 * `plain`: the status code alone. `disable-on-404`: HAProxy's `http-check disable-on-404` (configuration.txt 4.2), by which a
 * server that says 404 is sent nothing new. `body`: the body alone, always with 200, as balancers want it that look for a
 * text. `f5`: BIG-IP monitors with Receive String `OK` and Receive Disable String `Drain`. Such texts are looked for in the
 * whole reply, by BIG-IP among others, and where both are found the node is up: no status line says `OK` but that of `up`.
 */
export const DIALECTS: Readonly<Record<DialectName, Readonly<Record<Answer, HttpAnswer>>>> = {
  plain: {
    up: { status: 200, body: 'OK' },
    drain: { status: 503, body: 'Down' },
    down: { status: 503, body: 'Down' },
  },
  'disable-on-404': {
    up: { status: 200, body: 'OK' },
    drain: { status: 404, body: 'Drain' },
    down: { status: 503, body: 'Down' },
  },
  body: {
    up: { status: 200, body: 'OK' },
    drain: { status: 200, reason: 'Down', body: 'Down' },
    down: { status: 200, reason: 'Down', body: 'Down' },
  },
  f5: {
    up: { status: 200, body: 'OK' },
    drain: { status: 200, reason: 'Drain', body: 'Drain' },
    down: { status: 503, body: 'Down' },
  },
}

export const isDialectName = (text: string): text is DialectName => Object.hasOwn(DIALECTS, text)
