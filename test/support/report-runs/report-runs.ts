import type { FailureWindow } from '../../../src/ground/model/probe.ts'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { evenkeel, kubectl } from '../../../src/ground/model/sentence.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { RunTeller } from './run-teller.ts'

const serversOf = (node: string): readonly string[] => [`web/${node} on lb-1`, `web/${node} on lb-2`]

/** Three nodes, nothing failed. */
export function cleanRun(): readonly StampedEvent[] {
  const names = ['w-1', 'w-2', 'cp-1']
  const teller = new RunTeller('prod-eu1', names)
  for (const [index, name] of names.entries()) {
    teller
      .node(name, { pods: 14 - 3 * index, servers: serversOf(name), seconds: { drain: 62 + 20 * index } })
      .ended(name)
  }
  const standings = names.map((name) => teller.standing(name))
  teller.emit({
    type: 'roll.ended',
    outcome: 'completed',
    exitCode: 0,
    reasons: [],
    standings,
    next: [],
    load: teller.load(),
  })
  return teller.events
}

/** One node, behind balancers that have nothing but a health check: both waits ended by what was seen. */
export function checkedRun(): readonly StampedEvent[] {
  const teller = new RunTeller('prod-eu1', ['w-1'])
  const server = 'nodes/w-1 on edge'
  teller
    .node(
      'w-1',
      { pods: 12, servers: [] },
      {
        detach: () => {
          const text = 'load balancers have noticed after 6 s: each source was refused as often as it takes'
          teller.emit({ type: 'noticed', node: 'w-1', step: 'detach', server, by: 'checks', afterMs: 6_000, text })
          const idle = 'its last connection ended 2 s later'
          teller.emit({
            type: 'idle',
            node: 'w-1',
            step: 'detach',
            server,
            by: 'connections',
            left: 0,
            afterMs: 2_000,
            text: idle,
          })
        },
      },
    )
    .ended('w-1')
  const standings = [teller.standing('w-1')]
  const end = { type: 'roll.ended', outcome: 'completed', exitCode: 0, reasons: [], next: [] } as const
  teller.emit({ ...end, standings, load: teller.load() })
  return teller.events
}

/** A window that begins `ms` after `at`. */
export function windowAt(at: number, facts: Partial<FailureWindow> & { readonly lengthMs: number }): FailureWindow {
  const { lengthMs, ...own } = facts
  return {
    target: 'shop',
    control: false,
    lane: 'new',
    sent: 16,
    failed: 6,
    failures: { connect: 6 },
    firstError: 'connect ECONNREFUSED 10.0.0.9:443',
    lastOkAt: wallMs(Math.round(at - 20)),
    firstBadAt: wallMs(Math.round(at)),
    lastBadAt: wallMs(Math.round(at + lengthMs)),
    firstOkAt: wallMs(Math.round(at + lengthMs + 20)),
    servedBefore: 'cp-2',
    servedAfter: 'cp-3',
    ...own,
  }
}

const BUDGET: Reason = {
  code: 'BudgetExhausted',
  object: 'shop/cart-0',
  text: 'shop/cart-0 cannot be evicted now: budget shop/cart needs 2 healthy pods and has 2 of 3',
  next: kubectl`-n shop describe pod cart-2`,
}

/** A hold in w-2's drain, strays of w-3, a reload, and windows while cp-1 is attached: stopped, everything is back. */
export function failedRun(): readonly StampedEvent[] {
  const names = ['w-1', 'w-2', 'w-3', 'cp-1', 'cp-2', 'cp-3', 'w-4', 'w-5']
  const teller = new RunTeller('prod-eu1', names)
  const facts = (name: string) => ({ pods: 12, servers: serversOf(name) })
  teller.node('w-1', facts('w-1')).ended('w-1')
  teller
    .node('w-2', facts('w-2'), {
      drain: () => {
        teller.emit({ type: 'hold.started', node: 'w-2', step: 'drain', reasons: [BUDGET], limitMs: 600_000 }).wait(46)
        teller.lost({ skipped: 3, gapMs: 2_400 }).wait(24)
        teller.emit({ type: 'hold.ended', node: 'w-2', step: 'drain' })
      },
    })
    .ended('w-2')
  teller
    .node('w-3', facts('w-3'), {
      reboot: () => {
        teller.stray('w-3', 'web/w-3 on lb-2', 2)
        const text = 'web/w-3 on lb-2 had lost its state and was set to drain again'
        teller.emit({ type: 'reasserted', node: 'w-3', server: 'web/w-3 on lb-2', afterMs: 210, text })
        lostToReload(teller)
      },
    })
    .ended('w-3', { failedRequests: 4 })
  teller.emit({ type: 'warning', text: 'shop/report has 1 replica, which is away while it moves', node: 'cp-1' })
  teller.node('cp-1', { ...facts('cp-1'), upTo: 'attach' }, { attach: () => lostInAttach(teller) })
  teller.wait(2)
  stopped(teller, names)
  return teller.events
}

function lostToReload(teller: RunTeller): void {
  const { now } = teller
  const window = windowAt(now, {
    lengthMs: 0,
    sent: 1,
    failed: 1,
    failures: { reset: 1 },
    firstError: 'read ECONNRESET',
  })
  const reloads = [
    {
      balancer: 'edge',
      instance: 'lb-2',
      servers: ['web/w-3'],
      nodes: ['w-3'],
      from: wallMs(Math.round(now - 140)),
      seenAt: wallMs(Math.round(now + 60)),
      to: wallMs(Math.round(now + 70)),
    },
  ]
  const blame = [{ node: 'w-3', step: 'reboot', rank: 1 } as const]
  teller.lost({ failed: 1 }).emit({ type: 'window.closed', window, blame, reloads })
}

function lostInAttach(teller: RunTeller): void {
  const { now } = teller
  const blame = [
    { node: 'cp-1', step: 'attach', rank: 1 },
    { node: 'cp-1', step: 'settle', rank: 2 },
  ] as const
  teller
    .lost({ failed: 6 })
    .emit({ type: 'window.closed', window: windowAt(now, { lengthMs: 300 }), blame, reloads: [] })
  const kept = windowAt(now + 40, { lengthMs: 180, lane: 'kept', sent: 9, failed: 9, failures: { stale: 7, reset: 2 } })
  teller.lost({ failed: 9 }).emit({ type: 'window.closed', window: kept, blame, reloads: [] })
  const long = windowAt(now + 2_000, { lengthMs: 4_100, sent: 205, failed: 61, failures: { noResponse: 61 } })
  teller.lost({ failed: 61 }).emit({ type: 'window.closed', window: long, blame, reloads: [] })
}

function stopped(teller: RunTeller, names: readonly string[]): void {
  const untouched = { state: 'notTouched', podsMoved: 0, text: 'not touched' } as const
  const standings = names.map((node, index) => {
    if (index < 3) return teller.standing(node)
    if (index > 3) return teller.standing(node, untouched)
    return teller.standing(node, {
      state: 'out',
      step: 'attach',
      detached: true,
      failedRequests: 76,
      text: 'uncordoned, detached again: it failed once it was put back',
    })
  })
  const own = standings[3]
  if (own !== undefined) teller.emit({ type: 'node.ended', standing: own })
  teller.emit({
    type: 'roll.ended',
    outcome: 'stopped',
    exitCode: 1,
    reasons: [{ code: 'RequestsFailed', text: '76 requests failed while cp-1 was attached' }],
    standings,
    next: [evenkeel`roll resume`, evenkeel`roll abort`],
    load: teller.load(),
    guarded: ['cp-1'],
  })
}

/** The second of three machines never came back; nothing failed. */
export function keptOutRun(): readonly StampedEvent[] {
  const names = ['n1', 'n2', 'n3']
  const teller = new RunTeller('dev', names)
  teller.node('n1', { pods: 4, servers: serversOf('n1') }).ended('n1')
  teller.node('n2', { pods: 5, servers: serversOf('n2'), seconds: { reboot: 900 }, upTo: 'reboot' })
  const out = teller.standing('n2', {
    state: 'out',
    step: 'reboot',
    cordoned: true,
    detached: true,
    text: 'cordoned and detached; its machine did not come back',
  })
  teller.emit({ type: 'node.ended', standing: out })
  teller.emit({
    type: 'roll.ended',
    outcome: 'stopped',
    exitCode: 1,
    reasons: [{ code: 'NodeDidNotReturn', object: 'n2', text: 'n2 did not come back within 15 min of its reboot' }],
    standings: [
      teller.standing('n1'),
      out,
      teller.standing('n3', { state: 'notTouched', podsMoved: 0, text: 'not touched' }),
    ],
    next: [evenkeel`roll resume`, evenkeel`roll abort`],
    load: teller.load(),
    guarded: ['n2'],
  })
  return teller.events
}

/** What tries to be more than text, in every place that a journal has for text from outside. */
export const HOSTILE = `</script><script>alert(1)</script><img src=x onerror=alert(1)>"' onload="x" & \u0007\u001b[31m\u202e\u2028 | \`code\` [link](https://evil.example) @all`

/** A run in which every name that can be chosen is that one. */
export function hostileRun(): readonly StampedEvent[] {
  const name = `w-1${HOSTILE}`
  const teller = new RunTeller(`prod${HOSTILE}`, [name, 'w-2'])
  const reason: Reason = { code: 'BudgetExhausted', object: HOSTILE, text: HOSTILE, next: HOSTILE }
  teller.node(
    name,
    { pods: 1, servers: [`web/${HOSTILE.replaceAll('/', '')} on lb`] },
    {
      drain: () => {
        teller.emit({ type: 'hold.started', node: name, step: 'drain', reasons: [reason] }).wait(5)
        teller.emit({ type: 'hold.ended', node: name, step: 'drain' })
        teller.emit({ type: 'pod.moved', node: name, pod: HOSTILE, stage: 1 }).stray(name, HOSTILE, 1)
        teller.emit({ type: 'warning', text: HOSTILE }).emit({ type: 'warning', text: HOSTILE, node: name })
        const window = windowAt(teller.now, {
          lengthMs: 200,
          target: HOSTILE,
          firstError: HOSTILE,
          servedBefore: HOSTILE,
          servedAfter: HOSTILE,
        })
        const span = { from: wallMs(teller.now), seenAt: wallMs(teller.now) }
        const reloads = [{ balancer: HOSTILE, instance: HOSTILE, servers: [HOSTILE], nodes: [HOSTILE], ...span }]
        teller
          .lost({ failed: 6 })
          .emit({ type: 'window.closed', window, blame: [{ node: name, step: 'drain', rank: 1 }], reloads })
      },
    },
  )
  const standing = teller.standing(name, { text: HOSTILE })
  teller.emit({ type: 'node.ended', standing })
  const reasons = [reason, reason]
  teller.emit({
    type: 'roll.ended',
    outcome: 'held',
    exitCode: 3,
    reasons,
    standings: [standing],
    next: [HOSTILE],
    load: teller.load(),
  })
  return teller.events
}

/** Sixty nodes through the night; three of them have something to tell. */
export function longRun(): readonly StampedEvent[] {
  const names = Array.from(
    { length: 60 },
    (_, index) => `worker-${String(index + 1).padStart(2, '0')}.prod.example.com`,
  )
  const teller = new RunTeller('prod-us1', names)
  for (const [index, name] of names.entries()) {
    const facts = { pods: 9 + (index % 8), servers: serversOf(name), seconds: { drain: 50 + ((index * 7) % 40) } }
    const held = () => {
      teller.emit({ type: 'hold.started', node: name, step: 'drain', reasons: [BUDGET] }).wait(80)
      teller.emit({ type: 'hold.ended', node: name, step: 'drain' })
    }
    const strayed = () => teller.stray(name, `web/${name} on lb-1`, 1)
    teller.node(name, facts, index === 12 || index === 40 ? { drain: held } : index === 29 ? { reboot: strayed } : {})
    teller.ended(name)
  }
  const standings = names.map((name) => teller.standing(name))
  teller.emit({
    type: 'roll.ended',
    outcome: 'completed',
    exitCode: 0,
    reasons: [],
    standings,
    next: [],
    load: teller.load(),
  })
  return teller.events
}
