import type { DnsLoopStatus } from '../../src/dns/run/dns-loop.ts'
import type { LoopStatus } from '../../src/ground/loop/reconciler.ts'
import { shownJson } from '../../src/ground/model/foreign-text.ts'
import { present } from '../../src/ground/model/present.ts'
import { toIso } from '../../src/ground/model/time.ts'
import type { Page, PageOf } from '../../src/ground/ports/http-door.ts'
import { PROMETHEUS_CONTENT_TYPE } from '../../src/ground/text/prometheus-text.ts'
import { controllerMetrics } from './controller-metrics.ts'
import type { ControllerStatus } from './controller-status.ts'

const TEXT = 'text/plain; charset=utf-8'
/** A candidate tries every few seconds, or when a busy API server tells it to; after this time it hangs. */
const HANGS_AFTER_MS = 180_000

/** For people, Prometheus and the kubelet. */
export const controllerPages =
  (status: () => ControllerStatus): PageOf =>
  ({ target }) => {
    switch (target.split('?', 1)[0]) {
      case '/healthz':
        return { status: 200, contentType: 'application/json', body: `${shownJson(health(status()))}\n` }
      case '/livez':
        return yesOrNo(status().leader.triedAgoMs < HANGS_AFTER_MS)
      case '/readyz':
        return yesOrNo(isReady(status()))
      case '/metrics':
        return { status: 200, contentType: PROMETHEUS_CONTENT_TYPE, body: controllerMetrics(status()) }
      default:
        return { status: 404, contentType: TEXT, body: 'there is no such page\n' }
    }
  }

/** The process could lead: the nodes are known, and the Lease can be read. */
const isReady = ({ leader, brake }: ControllerStatus): boolean => brake.nodes.synced && leader.trouble === undefined

const health = ({ identity, leader, brake, dns, ingress, guard, rolls, schedules }: ControllerStatus): unknown => ({
  identity,
  leader: { state: leader.state, holder: leader.holder },
  queue: queueOf(brake.loop),
  brake: {
    decision: brake.decision,
    nodes: brake.nodes,
    grants: brake.grants ?? null,
    out: brake.out.map(({ node, why }) => ({ node, why: why.map(({ text }) => text) })),
    reasons: brake.reasons.map(({ code, text, object, next }) => ({
      code,
      text,
      ...present({ node: object, next }),
    })),
  },
  ...(dns === undefined ? {} : { dns: dnsHealth(dns) }),
  ...(ingress === undefined ? {} : { ingress: { queue: queueOf(ingress) } }),
  ...(guard === undefined ? {} : { guard: { queue: queueOf(guard) } }),
  ...(rolls === undefined ? {} : { rolls: { queue: queueOf(rolls) } }),
  trouble: [
    ...[leader.trouble, brake.loop.trouble, ...(dns?.trouble ?? [])],
    ...[ingress, guard, rolls, schedules].map((loop) => loop?.trouble),
  ].filter((text) => text !== undefined),
})

const queueOf = ({ depth, underWay, passes, failures, lastPassMs }: LoopStatus): unknown => ({
  ...{ depth, underWay, passes, failures },
  lastPassMs: Math.round(lastPassMs),
})

const dnsHealth = ({ state, health: condition, seen: { checks, failures, last }, repair }: DnsLoopStatus): unknown => ({
  state,
  checks,
  failures,
  health: condition ?? null,
  last:
    last === undefined
      ? null
      : { at: toIso(last.at), verdict: last.verdict, tookMs: Math.round(last.tookMs), queries: last.queries },
  repair: repair ?? null,
})

const yesOrNo = (isSo: boolean): Page => ({ status: isSo ? 200 : 503, contentType: TEXT, body: isSo ? 'ok\n' : 'no\n' })
