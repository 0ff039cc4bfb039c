import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'
import { type NodeObject, readiness } from '../../src/sim/actors/node-object.ts'
import { isReady, type PodObject } from '../../src/sim/actors/pod-object.ts'
import { askSocket } from '../../src/sim/loopback/ask-socket.ts'
import type { LoopbackDataPlane } from '../../src/sim/loopback/loopback-data-plane.ts'
import type { Destination } from '../../src/sim/network/network.ts'
import { NODES, PODS } from '../../src/sim/world/api-resource.ts'
import type { World } from '../../src/sim/world/world.ts'

const LIMIT_MS = 60_000
const POLL_EVERY_MS = 50
/** Of one request to a node port. */
const ANSWER_LIMIT_MS = 1_000
/** The pods of the workloads: five of one, two of the other, and an ingress on each of three nodes. */
const PODS_WANTED = 10

type Until = (signal: AbortSignal, what: string, holds: () => boolean | Promise<boolean>) => Promise<void>

/** Polls, and gives up after a time. */
export const within =
  (limitMs: number): Until =>
  async (signal, what, holds) => {
    const limitAtMs = clock.monoMs() + limitMs
    while (!(await holds())) {
      if (clock.monoMs() > limitAtMs) throw late(what, limitMs)
      await clock.sleep(POLL_EVERY_MS, signal)
    }
  }

export const until: Until = within(LIMIT_MS)

const late = (what: string, limitMs: number): WorldError =>
  new WorldError(`the embedded cluster is late: waited ${limitMs / 1_000} s for ${what}`, {
    code: 'DEMO_LATE',
    retry: 'never',
  })

export function nodesReady({ store }: World, count: number): boolean {
  const nodes = [...store.all(NODES)] as NodeObject[]
  return nodes.length === count && nodes.every((node) => readiness(node) === 'True' && !isTaintedNotReady(node))
}

const isTaintedNotReady = ({ spec }: NodeObject): boolean =>
  (spec?.taints ?? []).some(({ key }) => key.startsWith('node.kubernetes.io/'))

export function podsReady({ store }: World): boolean {
  const pods = [...store.all(PODS)] as PodObject[]
  return pods.length === PODS_WANTED && pods.every(isReady)
}

/** A port may be open before what is behind it: each has to answer a request. */
export async function nodePortsAnswer(plane: LoopbackDataPlane, entries: readonly Destination[]): Promise<boolean> {
  const answered = await Promise.all(entries.map((entry) => isAnswered(plane, entry)))
  return answered.every(Boolean)
}

/** False also where no answer comes within the limit: a peer that has vanished never answers. */
function isAnswered(plane: LoopbackDataPlane, entry: Destination): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const callOff = systemTimers.later(ANSWER_LIMIT_MS, () => resolve(false))
  plane.dial(entry, (dialled) => {
    if (dialled.kind !== 'open') return resolve(false)
    const { connection } = dialled
    connection.send({ path: '/' }, (reply) => resolve(reply !== 'broken' && reply.status === 200))
    void promise.then(() => connection.close())
  })
  return promise.finally(callOff)
}

/** By `show servers state`: every server is up, and its last check has passed (management.txt 9.3). */
export async function allChecked(socket: string): Promise<boolean> {
  const text = await askSocket(socket, 'show servers state')
  const rows = text
    .split('\n')
    .filter((line) => /^\d+ \S+ \d+ /.test(line))
    .map((line) => line.split(' '))
  return rows.length > 0 && rows.every((row) => row[5] === UP && row[10] === PASSED_L7)
}

const UP = '2'
const PASSED_L7 = '15'
