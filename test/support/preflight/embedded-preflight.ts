import type { RollPlan } from '../../../src/model/roll-plan.ts'
import type { RollSpec } from '../../../src/model/roll-spec.ts'
import { runControllers } from '../../../src/sim/actors/run-controllers.ts'
import { answerRequest } from '../../../src/sim/world/answer-request.ts'
import { isWatch } from '../../../src/sim/world/api-request.ts'
import { NAMESPACES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { EmbeddedApi } from '../embedded-api.ts'
import type { RawApi } from '../raw-api.ts'
import type { BadSituation } from './bad-situation.ts'
import { apply, nodesOf, type PreflightGround, planOf } from './preflight-ground.ts'

const CONTROLLERS_TAKE_MS = 5_000

/** The embedded cluster with its controllers and without machines, anew for each situation. */
export class EmbeddedPreflight implements PreflightGround {
  #api: EmbeddedApi | undefined
  #end: () => void = () => undefined

  async bringAbout(situation: BadSituation): Promise<void> {
    this.#end()
    const api = new EmbeddedApi('default')
    for (const name of ['kube-system', 'evenkeel']) {
      createObject(api.world, { resource: NAMESPACES, body: { metadata: { name } } })
    }
    const raw: RawApi = (method, path, body) => {
      const query = new URLSearchParams()
      const reply = answerRequest(api.world, { method, path, query, body, contentType: 'application/merge-patch+json' })
      if (isWatch(reply)) throw new Error('nothing is watched here')
      return Promise.resolve({ status: reply.code, body: reply.body })
    }
    this.#end = runControllers({ world: api.world, timers: api.time })
    await apply(raw, [...nodesOf(situation), ...(situation.objects ?? [])])
    await api.time.advance(CONTROLLERS_TAKE_MS)
    this.#api = api
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
