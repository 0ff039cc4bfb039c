import { invariant } from '../../ground/model/invariant.ts'
import { present } from '../../ground/model/present.ts'
import { needUnnamed, type RebootNeedSpec } from '../../ground/model/reboot-need.ts'
import type { HookSpec, HookTarget, HookUrl } from '../model/notify-spec.ts'
import type { BlockedSpec, PoliteSpec, RollSpec } from '../model/roll-spec.ts'
import type { SilenceSpec } from '../model/silence-spec.ts'
import type { StepHook } from '../model/step-hook.ts'
import type { RecurringTime } from '../model/time-window.ts'
import { gateOf, headersOf, secretOf } from './gate-of.ts'
import { hostsOf } from './hosts-of.ts'
import { balancerOf } from './schema/balancers-section.ts'
import { REBOOT_COMMAND } from './schema/reboot-section.ts'
import type { RollFile } from './schema/roll-file-schema.ts'
import { stopOf } from './stop-of.ts'

type Spec = RollFile['spec']

/** A valid roll.yaml in the form of the engine. */
export function rollSpecFromFile({ metadata, spec }: RollFile): RollSpec {
  const { detach, settle, attach } = spec
  return {
    name: metadata.name,
    nodes: { ...spec.nodes, names: spec.nodes.names ?? [] },
    slots: slotsOf(spec),
    ...parallelOf(spec),
    balancers: spec.balancers.map(balancerOf),
    detach: { idleLimitMs: detach.idleLimit },
    drain: drainOf(spec),
    reboot: rebootOf(spec),
    ...dnsOf(spec),
    settle: { limitMs: settle.limit, timesInARow: settle.timesInARow, dataPort: settle.dataPort },
    attach: { limitMs: attach.limit },
    soakMs: spec.soak,
    ...probeOf(spec),
    ...stopOf(spec),
    ...hostsOf(spec),
    ...windowOf(spec),
    ...(spec.gates === undefined ? {} : { gates: spec.gates.map(gateOf) }),
    ...(spec.hooks === undefined ? {} : { hooks: spec.hooks.map(stepHookOf) }),
    ...(spec.silences === undefined ? {} : { silences: spec.silences.map(silenceOf) }),
    ...(spec.announce.conditions ? { announce: { conditions: true } } : {}),
    ...(spec.notify === undefined ? {} : { notify: spec.notify.map(hookOf) }),
  }
}

/** One at a time is the default of a roll. */
const parallelOf = ({ parallel, zones }: Spec): Pick<RollSpec, 'parallel'> =>
  parallel === 1 ? {} : { parallel: { nodes: parallel, oneZone: zones === 'oneAtATime' } }

function slotsOf({ slots: { namespace, leaseDuration, maxOut, grantsNamespace } }: Spec): RollSpec['slots'] {
  return {
    namespace,
    leaseDurationMs: leaseDuration,
    ...present({ maxOut, grantsNamespace }),
  }
}

function drainOf({ drain }: Spec): RollSpec['drain'] {
  const { grace, polite, preferDone, blocked, safeToEvict, blockedLimit, stageLimit, ...same } = drain
  return {
    ...same,
    ...(grace === undefined ? {} : { graceSeconds: grace / 1000 }),
    ...(polite === undefined ? {} : { polite: polite.map(politeOf) }),
    ...(preferDone ? { preferDone } : {}),
    ...(blocked === undefined ? {} : { blocked: blocked.map(blockedOf) }),
    ...(safeToEvict === 'warn' ? {} : { safeToEvict }),
    blockedLimitMs: blockedLimit,
    stageLimitMs: stageLimit,
  }
}

const politeOf = ({ leaveAfter, ...same }: NonNullable<Spec['drain']['polite']>[number]): PoliteSpec => ({
  ...same,
  leaveAfterMs: leaveAfter,
})

/** A budget may be shut for a moment while a pod starts. */
const BLOCKED_WAIT_MS = 60_000

type BlockedFields = NonNullable<Spec['drain']['blocked']>[number]

const blockedOf = ({ wait = BLOCKED_WAIT_MS, surge, ask, ...same }: BlockedFields): BlockedSpec => ({
  ...same,
  waitMs: wait,
  ...present({ surgeMs: surge, askMs: ask }),
})

function rebootOf({ reboot }: Spec): RollSpec['reboot'] {
  const { onlyIfNeeded, kuredLock } = reboot
  const limits = {
    resendAfterMs: reboot.resendAfter,
    returnLimitMs: reboot.returnLimit,
    ...(kuredLock && { kuredLock: { namespace: kuredLock.namespace, name: kuredLock.daemonSet } }),
    ...(onlyIfNeeded === undefined
      ? {}
      : { onlyIfNeeded: needOf(onlyIfNeeded, !('rebooter' in reboot || 'fleetLock' in reboot)) }),
  }
  if (reboot.command !== undefined) return { kind: 'command', command: reboot.command, ...limits }
  if (reboot.rebooter !== undefined) return { kind: 'rebooter', ...limits }
  if (reboot.fleetLock !== undefined) return { kind: 'fleetLock', ...limits }
  return { kind: 'ssh', command: REBOOT_COMMAND, ...reboot.ssh, ...limits }
}

type NeedFields = NonNullable<Spec['reboot']['onlyIfNeeded']>

/** By the exit codes of the command: 0 and 1, or 0 and the code for "needed". */
function needOf(fields: NeedFields, isBySsh: boolean): RebootNeedSpec {
  const { sentinel, command, neededExitCode = 1, condition, ...versions } = fields
  if (Object.keys(fields).length === 0) return needUnnamed(isBySsh)
  const otherExitCode = neededExitCode === 0 ? 1 : 0
  return {
    ...present({ sentinel }),
    ...(command === undefined ? {} : { command: { argv: command, neededExitCode, otherExitCode } }),
    ...(condition === undefined ? {} : { condition: true }),
    versions,
  }
}

/** Without a named Service, it is looked for. */
function dnsOf({ dns: { check, service, ...same } }: Spec): Pick<RollSpec, 'dns'> {
  if (!check) return {}
  const [namespace = '', name = ''] = service?.split('/') ?? []
  return { dns: { ...same, ...(service === undefined ? {} : { service: { namespace, name } }) } }
}

function probeOf({ probes, baseline }: Spec): Pick<RollSpec, 'probe'> {
  if (probes.length === 0) return {}
  const targets = probes.map(({ rate, kept, timeout, ...same }) => ({
    ...same,
    ratePerSecond: rate,
    keptConnections: kept,
    timeoutMs: timeout,
  }))
  return { probe: { targets, baselineMs: baseline.duration, baselineLimitMs: baseline.limit } }
}

function windowOf({ window }: Spec): Pick<RollSpec, 'window'> {
  if (window === undefined) return {}
  const { zone, open, not, onClose, waitLimit } = window
  const timeOf = ({ cron, duration, zone: own = zone }: (typeof open)[number]): RecurringTime => ({
    cron,
    durationMs: duration,
    zone: own,
  })
  const waits = waitLimit === undefined ? {} : { waitLimitMs: waitLimit }
  return { window: { zone, open: open.map(timeOf), not: not.map(timeOf), onClose, ...waits } }
}

type HookFields = NonNullable<Spec['notify']>[number]

const silenceOf = ({ duration, timeout, headers, ...same }: NonNullable<Spec['silences']>[number]): SilenceSpec => ({
  ...same,
  durationMs: duration,
  timeoutMs: timeout,
  headers: headersOf(headers),
})

const stepHookOf = ({ timeout, limit, ...same }: NonNullable<Spec['hooks']>[number]): StepHook => ({
  ...same,
  timeoutMs: timeout,
  limitMs: limit,
})

const hookOf = ({ name, on, holdFor, timeout, slack, webhook }: HookFields): HookSpec => {
  const target = slack === undefined ? webhook && webhookOf(webhook) : slackOf(slack)
  invariant(target !== undefined, 'the schema lets no receiver through without slack or webhook')
  return { name, on, holdForMs: holdFor, timeoutMs: timeout, target }
}

function slackOf({ channel = '', token, webhook, api }: NonNullable<HookFields['slack']>): HookTarget {
  if (token !== undefined) return { kind: 'slack', api, channel, token: secretOf(token) }
  return { kind: 'slackWebhook', at: secretOf(webhook) }
}

function webhookOf({ url, urlFrom, headers, template }: NonNullable<HookFields['webhook']>): HookTarget {
  const at: HookUrl = url === undefined ? secretOf(urlFrom) : { url }
  return { kind: 'webhook', at, headers: headersOf(headers), ...present({ template }) }
}
