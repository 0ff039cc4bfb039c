import { ingressAnswer } from '../../../src/agent/decide/ingress-answer.ts'
import { deploymentsOf } from '../../../src/agent/run/ingress-deployments.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import type { IngressGround } from './ingress-ground.ts'

const LOOK_EVERY_MS = 50

/** What the agents of all nodes would answer at the health ports, by the Deployments as they stand in the world, again and again. */
export class HealthWitness {
  mostOut = 0
  /** `n2 down`, each that was ever seen. */
  readonly seen = new Set<string>()
  readonly #ground: IngressGround

  constructor(ground: IngressGround) {
    this.#ground = ground
    this.#look()
  }

  /** `n1 up 30100 2`: the answer, the ports, and how many ready pods are enough. */
  lines(): readonly string[] {
    return this.#answers()
      .map(({ node, answer, order }) => `${node} ${answer} ${order?.ports.join('+')} ${order?.minReadyPods}`)
      .toSorted()
  }

  #answers() {
    return this.#ground.deployments().map((object) => {
      const { node, ...facts } = deploymentsOf('').kind.parse(new Untrusted(object, 'deployment'))
      const { answer } = ingressAnswer({ answer: 'up', reasons: [] }, facts)
      return { node, answer, order: facts.order }
    })
  }

  #look(): void {
    const out = this.#answers().filter(({ answer }) => answer !== 'up')
    for (const { node, answer } of out) this.seen.add(`${node} ${answer}`)
    this.mostOut = Math.max(this.mostOut, out.length)
    this.#ground.cluster.time.later(LOOK_EVERY_MS, () => this.#look())
  }
}
