import type { Action } from '../../model/action.ts'
import { type AdminState, type ServerReading, serverKey } from '../../model/balancer.ts'
import type { Reason } from '../../model/reason.ts'
import { slotLive } from '../roll/guards.ts'
import { hasRebooted, type RecordedSnapshot } from '../roll/node-snapshot.ts'
import type { StepRule } from '../roll/step-rule.ts'
import { act, done, hold, RECHECK_MS } from '../step-answer.ts'
import { askedByOthers, isAskedByOthers, noticingOf, notNoticed, stateBefore } from './actuators/health-endpoint.ts'
import { holdsDeadConnections, purge } from './detach.ts'
import { asUsed, isLastServer } from './last-server.ts'
import { isSilent, lostServers, type NodeServer, nodeServers, notItsAddress } from './node-servers.ts'
import { setServer } from './set-server.ts'
import { wasServing } from './was-serving.ts'

/**
 * Step 10: every server at its recorded state, read back. HAProxy's `ready` out of `maint` means UP before any check,
 * so the way leads through `drain`, where checks run and nothing is sent, and `ready` comes when all have passed.
 */
export const attach: StepRule = {
  step: 'attach',
  next(s) {
    const servers = nodeServers(s)
    const silent = servers.filter(({ instance }) => isSilent(instance))
    const pending = servers.filter((server) => !isRestored(s, server) || isUnnoticed(s, server))
    const lost = lostServers(s).map((server) => notItsAddress(s, server))
    if (pending.length === 0 && silent.length === 0 && lost.length === 0) return done
    const refusals = slotLive(s)
    if (refusals.length > 0) return hold(refusals)
    const pooled = hasRebooted(s) ? pending.filter(holdsDeadConnections) : []
    if (pooled.length > 0) return purge(s, pooled, { restores: true })
    const others = pending.filter((server) => server.recorded.state === 'ready' && isAskedByOthers(s, server))
    if (others.length > 0) return hold(others.map(askedByOthers))
    const prepare = pending.filter(mustPassThroughDrain)
    if (prepare.length > 0)
      return act(
        prepare.map((server) => set(s, server, 'drain')),
        ...prepare.map(unchecked),
      )
    const waits = [
      ...silentReasons(silent),
      ...lost,
      ...pending.filter((server) => !mayServe(s, server)).map(unchecked),
    ]
    if (waits.length > 0) return hold(waits, RECHECK_MS / 2)
    // A server that was out before is set without a check. One that the balancer does not list cannot be set.
    const toSet = pending.filter((server) => isListed(server) && server.reading.ownState !== stateBefore(s, server))
    if (toSet.length === 0)
      return hold(
        pending.map((server) => (isRestored(s, server) ? unnoticed(server) : unchecked(server))),
        RECHECK_MS / 2,
      )
    return act(
      toSet.map((server) => set(s, server, stateBefore(s, server))),
      {
        code: 'MayServe',
        text: 'its own checks passed on every instance',
      },
    )
  },
}

/** What keeps it from being attached: of an instance that is silent nothing else is known. */
export function unattached(s: RecordedSnapshot): readonly Reason[] {
  const servers = nodeServers(s)
  const answering = servers.filter(({ instance }) => !isSilent(instance))
  const lost = lostServers(s).map((server) => notItsAddress(s, server))
  return [
    ...silentReasons(servers),
    ...lost,
    ...answering.filter((server) => !isRestored(s, server)).map(unchecked),
    ...answering.filter((server) => isRestored(s, server) && isUnnoticed(s, server)).map(unnoticed),
  ]
}

const isListed = (server: NodeServer): server is NodeServer & Required<Pick<NodeServer, 'reading'>> =>
  server.reading !== undefined

export function isRestored(s: RecordedSnapshot, server: NodeServer): boolean {
  const { reading, recorded } = server
  if (reading === undefined) return false
  if (reading.ownState !== stateBefore(s, server)) return servesAsLast(s, server)
  return !wasServing(recorded) || reading.operational === 'up' || outByOthers(reading)
}

/** It was out before, and others have set it ready since: it is not taken out again while no other server can serve. */
const servesAsLast = (s: RecordedSnapshot, { ref, instance, reading }: NodeServer): boolean =>
  reading?.ownState === 'ready' && isLastServer(ref, asUsed(s, instance))

/** A node that is back with its agent is not yet with those who ask the agent. */
const isUnnoticed = (s: RecordedSnapshot, server: NodeServer): boolean =>
  server.reading?.endpoint !== undefined &&
  wasServing(server.recorded) &&
  noticingOf(s, server, 'in')?.noticed === undefined

const unnoticed = (server: NodeServer): Reason => notNoticed(server, 'in')

/** Out by a server it tracks, or by name resolution: that was so without us, and is not ours to lift. */
const outByOthers = (reading: ServerReading): boolean => reading.inherited && reading.adminState !== 'ready'

const mustPassThroughDrain = ({ reading, recorded }: NodeServer): boolean =>
  recorded.state === 'ready' && reading?.ownState === 'maint'

/** A server without a check proves nothing by itself: there the data port must have answered. */
function mayServe(s: RecordedSnapshot, { reading, recorded }: NodeServer): boolean {
  if (!wasServing(recorded) || reading?.ownState === 'ready') return true
  if (reading?.check === 'none') {
    return !s.spec.settle.dataPort || s.current.dataPorts[`${recorded.address}:${recorded.port}`] === true
  }
  return reading?.check === 'passing'
}

const set = (s: RecordedSnapshot, server: NodeServer, state: AdminState): Action =>
  setServer(s, server, { state, restores: true })

const unchecked = ({ ref, reading }: NodeServer): Reason => ({
  code: 'NotUpYet',
  object: `${ref.backend}/${ref.server}`,
  text:
    reading === undefined
      ? `${ref.instance} does not list ${ref.backend}/${ref.server}`
      : `${serverKey(ref)} is ${reading.adminState}, its check ${reading.check} (${reading.checkText})`,
})

/** One for each instance, however many servers of the node it has. */
const silentReasons = (servers: readonly NodeServer[]): readonly Reason[] =>
  [...new Set(servers.map(({ instance }) => instance))].filter(isSilent).map((instance) => ({
    code: 'InstanceSilent',
    object: instance.instance,
    text: `${instance.instance} of ${instance.balancer} does not answer: ${instance.error ?? 'not asked yet'}`,
  }))
