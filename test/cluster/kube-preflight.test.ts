import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before } from 'node:test'
import { explainActions } from '../../bin/explain/explain-actions.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import type { RollPlan } from '../../src/roll/model/roll-plan.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import type { Bed } from '../../testbed/bed.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { isToldByPlan } from '../scenarios/preflight/blocked-by-plan.ts'
import { BUDGET_SITUATIONS } from '../scenarios/preflight/budget-situations.ts'
import { BALANCER_SITUATIONS, NODE_SITUATIONS } from '../scenarios/preflight/node-situations.ts'
import { OTHERS_WORK_SITUATIONS } from '../scenarios/preflight/others-work-situations.ts'
import { PLANE_SITUATIONS } from '../scenarios/preflight/plane-situations.ts'
import { POD_SITUATIONS, ROOM_SITUATIONS } from '../scenarios/preflight/pod-situations.ts'
import { policyRefuses, quotaRefuses } from '../scenarios/preflight/refused-writes.ts'
import { askExplain, type SaidByExplain } from '../support/explain/ask-explain.ts'
import type { ApiManifest, BadSituation } from '../support/preflight/bad-situation.ts'
import { DISRUPTION_ROWS } from '../support/preflight/disruption-rows.ts'
import { budget, replicas } from '../support/preflight/manifests.ts'
import { apply, nodesOf, type PreflightGround, planOf } from '../support/preflight/preflight-ground.ts'
import type { RawApi } from '../support/raw-api.ts'
import { requires } from '../support/requires.ts'
import { atNight, describeAtNight } from '../support/roll-bed/at-night.ts'
import { auditedRequests } from '../support/roll-input/audited-requests.ts'
import { KubeGround } from './kube-ground.ts'

interface RealPreflightParts {
  readonly bed: Bed
  readonly cluster: Cluster
  readonly raw: RawApi
}

interface Listed {
  readonly items: readonly {
    readonly metadata: {
      readonly name: string
      readonly generation?: number
      readonly ownerReferences?: readonly object[]
    }
    readonly spec?: { readonly taints?: readonly { readonly key: string }[]; readonly unschedulable?: boolean }
    readonly status?: {
      readonly phase?: string
      readonly expectedPods?: number
      readonly conditions?: readonly object[]
    }
  }[]
}

/** In the order in which nothing makes anew what is gone. */
const KINDS = [
  '/apis/apps/v1/namespaces/default/replicasets',
  '/apis/apps/v1/namespaces/kube-system/daemonsets',
  '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/kube-system/pods',
  '/api/v1/namespaces/default/persistentvolumeclaims',
  '/api/v1/persistentvolumes',
  '/api/v1/nodes',
]
const SETTLES_WITHIN_MS = 30_000

/** A node of an earlier situation has the same name, and to the controller that judges heartbeats it is the same node. */
function beating(node: ApiManifest): ApiManifest {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  const conditions = ((node.status?.conditions ?? []) as readonly object[]).map((condition) => ({
    ...condition,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  }))
  return { ...node, status: { ...node.status, conditions } }
}

/** A real control plane with its controllers and without kubelets, whose objects are removed before each situation. */
class RealPreflight implements PreflightGround {
  readonly isReal = true
  readonly #parts: RealPreflightParts
  #written = 0

  constructor(parts: RealPreflightParts) {
    this.#parts = parts
  }

  async bringAbout(situation: BadSituation): Promise<void> {
    for (const path of KINDS) await this.#removeAll(path)
    await apply(this.#parts.raw, nodesOf(situation).map(beating))
    await this.until('the nodes to be open', () => this.#areOpen())
    await apply(this.#parts.raw, situation.objects ?? [])
    await this.until('the controllers to have seen everything', () =>
      this.#isSeen((situation.objects ?? []).some(({ kind }) => kind === 'ReplicaSet')),
    )
    this.#written = this.#allWrites().length
  }

  plan(spec: RollSpec, situation: BadSituation): Promise<RollPlan> {
    return planOf(this.#parts.cluster, spec, situation)
  }

  get raw(): RawApi {
    return this.#parts.raw
  }

  explain(line: string): Promise<SaidByExplain> {
    const { bed } = this.#parts
    const env = { KUBECONFIG: bed.kubeconfig, XDG_STATE_HOME: bed.dir }
    const { open } = explainActions({ version: '0', env, log: { debug: () => undefined, warn: () => undefined } })
    return askExplain({ open, clock: systemClock }, line)
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    await waitFor({ what, limitMs: SETTLES_WITHIN_MS, everyMs: 200 }, async () => ((await isSo()) ? true : undefined))
  }

  writes(): readonly string[] {
    return this.#allWrites().slice(this.#written)
  }

  /** Makes these budgets, and says what the disruption controller has worked out for each. */
  async computed(
    budgets: readonly ApiManifest[],
  ): Promise<readonly { readonly expectedPods: number; readonly desiredHealthy: number }[]> {
    const { cluster, raw } = this.#parts
    await apply(raw, budgets)
    await this.until('the budgets to be computed', () => this.#isSeen(true))
    const found = await cluster.list('disruptionbudgets', new AbortController().signal)
    return budgets.map(({ metadata }) => {
      const { expectedPods = 0, desiredHealthy = 0 } = found.find(({ name }) => name === metadata.name) ?? {}
      return { expectedPods, desiredHealthy }
    })
  }

  #allWrites(): readonly string[] {
    return auditedRequests(readFileSync(this.#parts.bed.auditLog, 'utf8')).writes
  }

  async #removeAll(path: string): Promise<void> {
    const options = { gracePeriodSeconds: 0, propagationPolicy: path.includes('replicasets') ? 'Orphan' : 'Background' }
    await this.until(`${path} to be empty`, async () => {
      const { items } = await this.#list(path)
      if (items.length === 0) return true
      const asked = await this.#parts.raw('DELETE', path, options)
      if (asked.status >= 300) throw new Error(`${path}: ${JSON.stringify(asked.body)}`)
      return false
    })
  }

  async #list(path: string): Promise<Listed> {
    return (await this.#parts.raw('GET', path)).body as Listed
  }

  /** A new node is tainted until its first status was seen. */
  async #areOpen(): Promise<boolean> {
    const { items } = await this.#list('/api/v1/nodes')
    return items.every(({ spec = {} }) => {
      const keys = (spec.taints ?? []).map(({ key }) => key)
      const isCordoned = keys.includes('node.kubernetes.io/unschedulable')
      return !keys.includes('node.kubernetes.io/not-ready') && isCordoned === (spec.unschedulable === true)
    })
  }

  /** `adopts`: controllers adopt the pods; else there are pods without one. */
  async #isSeen(adopts: boolean): Promise<boolean> {
    const [pods, budgets, claims] = await Promise.all(
      ['/api/v1/namespaces/default/pods', KINDS[2] ?? '', KINDS[5] ?? ''].map((path) => this.#list(path)),
    )
    const isAdopted = !adopts || pods?.items.every(({ metadata }) => metadata.ownerReferences !== undefined)
    const isComputed = budgets?.items.every(({ status = {} }) =>
      adopts ? (status.expectedPods ?? 0) > 0 : status.conditions !== undefined,
    )
    const isBound = claims?.items.every(({ status = {} }) => status.phase === 'Bound')
    return isAdopted === true && isComputed === true && isBound === true
  }
}

describeAtNight('situations before a roll, on a real API server', requires('testbed'), () => {
  const opened = new KubeGround()
  let ground: RealPreflight

  before(async () => {
    const parts = await opened.open()
    const { bed, raw } = parts
    await bed.kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=30s'])
    await raw('POST', '/api/v1/namespaces', { metadata: { name: 'evenkeel' } })
    ground = new RealPreflight(parts)
  })
  after(() => opened.close())

  const SITUATIONS = [
    ...BUDGET_SITUATIONS,
    ...POD_SITUATIONS,
    ...ROOM_SITUATIONS,
    ...PLANE_SITUATIONS,
    ...NODE_SITUATIONS,
    ...OTHERS_WORK_SITUATIONS,
    ...BALANCER_SITUATIONS,
  ]
  atNight('percentages are rounded as the disruption controller rounds them', { timeout: 90_000 }, async () => {
    const objects = replicas('cart', { on: ['n1', 'n2', 'n3'] })
    await ground.bringAbout({ title: '', objects, code: '', says: '', fix: '', exit: 0, explain: '' })
    const budgets = DISRUPTION_ROWS.map(([spec], i) => budget(`b${i}`, 'cart', spec))
    assert.deepEqual(
      await ground.computed(budgets),
      DISRUPTION_ROWS.map(([, expectedPods, desiredHealthy]) => ({ expectedPods, desiredHealthy })),
    )
  })

  atNight('a quota that refuses a pod: its Deployment says so', { timeout: 90_000 }, () => quotaRefuses(ground))
  atNight('a policy that refuses labels says so', { timeout: 90_000 }, () => policyRefuses(ground))

  for (const situation of SITUATIONS) {
    atNight(`${situation.title} (${situation.code}, exit ${situation.exit})`, { timeout: 90_000 }, () =>
      isToldByPlan(ground, situation),
    )
  }
})
