import { after, test } from 'node:test'
import { kubeDnsObjects } from '../../src/dns/io/kube-dns-objects.ts'
import { kubeServiceConditions } from '../../src/dns/io/kube-service-conditions.ts'
import { kubeExplainReader } from '../../src/explain/io/kube-explain-reader.ts'
import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import type { RollPlan } from '../../src/roll/model/roll-plan.ts'
import type { RollSpec } from '../../src/roll/model/roll-spec.ts'
import { runControllers } from '../../src/sim/actors/run-controllers.ts'
import { answerRequest } from '../../src/sim/world/answer-request.ts'
import { isWatch } from '../../src/sim/world/api-request.ts'
import { NAMESPACES } from '../../src/sim/world/api-resource.ts'
import { createObject } from '../../src/sim/world/create-object.ts'
import { isToldByPlan } from '../scenarios/preflight/blocked-by-plan.ts'
import { BUDGET_SITUATIONS } from '../scenarios/preflight/budget-situations.ts'
import { BALANCER_SITUATIONS, NODE_SITUATIONS } from '../scenarios/preflight/node-situations.ts'
import { OTHERS_WORK_SITUATIONS } from '../scenarios/preflight/others-work-situations.ts'
import { PLANE_SITUATIONS } from '../scenarios/preflight/plane-situations.ts'
import { POD_SITUATIONS, ROOM_SITUATIONS } from '../scenarios/preflight/pod-situations.ts'
import { quotaRefuses } from '../scenarios/preflight/refused-writes.ts'
import { EmbeddedApi } from '../support/embedded-api.ts'
import { askExplain, type SaidByExplain } from '../support/explain/ask-explain.ts'
import type { BadSituation } from '../support/preflight/bad-situation.ts'
import { apply, nodesOf, type PreflightGround, planOf } from '../support/preflight/preflight-ground.ts'
import type { RawApi } from '../support/raw-api.ts'

const CONTROLLERS_TAKE_MS = 5_000
const LIMIT_MS = 30_000
const STEP_MS = 100

/** The embedded cluster with its controllers and without machines, anew for each situation. */
class EmbeddedPreflight implements PreflightGround {
  readonly isReal = false
  #api: EmbeddedApi | undefined
  #end: () => void = () => undefined

  async bringAbout(situation: BadSituation): Promise<void> {
    this.#end()
    const api = new EmbeddedApi('default')
    for (const name of ['kube-system', 'evenkeel']) {
      createObject(api.world, { resource: NAMESPACES, body: { metadata: { name } } })
    }
    this.#api = api
    this.#end = runControllers({ world: api.world, timers: api.time })
    await apply(this.raw, [...nodesOf(situation), ...(situation.objects ?? [])])
    await api.time.advance(CONTROLLERS_TAKE_MS)
  }

  readonly raw: RawApi = (method, path, body) => {
    const query = new URLSearchParams()
    const request = { method, path, query, body, contentType: 'application/merge-patch+json' }
    const reply = answerRequest(this.#opened().world, request)
    if (isWatch(reply)) throw new Error('nothing is watched here')
    return Promise.resolve({ status: reply.code, body: reply.body })
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    for (let waitedMs = 0; waitedMs < LIMIT_MS; waitedMs += STEP_MS) {
      if (await isSo()) return
      await this.#opened().time.advance(STEP_MS)
    }
    throw new Error(`waited for ${what}`)
  }

  explain(line: string): Promise<SaidByExplain> {
    const api = this.#opened()
    const follows = api.follows()
    const ground = {
      ...{ cluster: api.cluster(), clock: api.time, configMaps: kubeConfigMaps(follows.client), namespace: 'default' },
      ...{ reader: kubeExplainReader(follows), objects: kubeObjects(follows), dnsObjects: kubeDnsObjects(follows) },
      conditions: kubeServiceConditions(follows),
      runHere: () => Promise.resolve(undefined),
    }
    return askExplain({ open: async () => ground, clock: api.time, settle: (work) => api.done(work) }, line)
  }

  plan(spec: RollSpec, situation: BadSituation): Promise<RollPlan> {
    const api = this.#opened()
    return api.done(planOf(api.cluster(), spec, situation))
  }

  writes(): readonly string[] {
    return this.#opened().requests.filter((request) => !/^GET |selfsubject|dryRun=All/.test(request))
  }

  end(): void {
    this.#end()
  }

  #opened(): EmbeddedApi {
    if (this.#api === undefined) throw new Error('nothing was brought about')
    return this.#api
  }
}

const ground = new EmbeddedPreflight()
after(() => ground.end())

const SITUATIONS = [
  ...BUDGET_SITUATIONS,
  ...POD_SITUATIONS,
  ...ROOM_SITUATIONS,
  ...PLANE_SITUATIONS,
  ...NODE_SITUATIONS,
  ...OTHERS_WORK_SITUATIONS,
  ...BALANCER_SITUATIONS,
]

for (const situation of SITUATIONS) {
  test(`before a roll: ${situation.title} (${situation.code}, exit ${situation.exit})`, () =>
    isToldByPlan(ground, situation))
}

test('a quota that refuses a pod: its Deployment says so', () => quotaRefuses(ground))
