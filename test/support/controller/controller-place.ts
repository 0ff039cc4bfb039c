import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../../src/ground/machine/system-random.ts'
import { CONFIG_MAPS, EVENTS, NAMESPACES, NODES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { MERGE_PATCH, patchObject } from '../../../src/sim/world/patch-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { LoopbackApi } from '../loopback-api.ts'
import { ControllerProcess } from './controller-process.ts'

const GRANTS = { namespace: 'evenkeel', name: 'evenkeel-cordon-grants' }
const READY = { conditions: [{ type: 'Ready', status: 'True' }] }

interface Grants {
  readonly granted: readonly string[]
  readonly max: number
  readonly of: number
}

/** An embedded API server over HTTP with some nodes, which may go away and come back, and controllers that ask it. */
export class ControllerPlace {
  readonly world = { store: new Store(), clock: systemClock, random: systemRandom }
  /** Everything that was ever published, in order. */
  readonly published: Grants[] = []
  readonly #controllers: ControllerProcess[] = []
  readonly #api: LoopbackApi

  private constructor(directory: string, nodes: number) {
    this.#api = new LoopbackApi(this.world, directory)
    for (const name of ['default', 'evenkeel']) {
      createObject(this.world, { resource: NAMESPACES, body: { metadata: { name } } })
    }
    for (let n = 1; n <= nodes; n += 1) {
      createObject(this.world, { resource: NODES, body: { metadata: { name: `n${n}` }, status: READY } })
    }
    this.world.store.subscribe(CONFIG_MAPS, ({ type, object }) => {
      const grants = type === 'DELETED' ? undefined : grantsIn(object)
      if (grants !== undefined) this.published.push(grants)
    })
  }

  static async of(t: TestContext, nodes: number): Promise<ControllerPlace> {
    const directory = await mkdtemp(join(tmpdir(), 'evenkeel-controller-'))
    const place = new ControllerPlace(directory, nodes)
    t.after(async () => {
      await Promise.all(place.#controllers.map((controller) => controller.end('SIGKILL')))
      place.away()
      await rm(directory, { recursive: true, force: true })
    })
    await place.back()
    return place
  }

  /** The rights that the controllers needed so far. */
  get needed(): ReadonlySet<string> {
    return this.#api.needed
  }

  /** The path of each watch that the controllers have begun. */
  get watched(): readonly string[] {
    return this.#api.watched
  }

  back(): Promise<void> {
    return this.#api.back()
  }

  away(): void {
    this.#api.away()
  }

  async controller(...more: readonly string[]): Promise<ControllerProcess> {
    const place = ['--kubeconfig', this.#api.kubeconfig, '--namespace', 'evenkeel', '--status-port', '0']
    const controller = await ControllerProcess.start([...place, '--lease-duration', '3s', ...more])
    this.#controllers.push(controller)
    return controller
  }

  cordon(name: string, unschedulable = true): void {
    const old = this.world.store.get(NODES, { name })
    assert.ok(old)
    const patch = { spec: { unschedulable: unschedulable || null } }
    patchObject(this.world, { resource: NODES, old, contentType: MERGE_PATCH, patch, statusOnly: false })
  }

  /** As published now. */
  grants(): Grants | undefined {
    const found = this.world.store.get(CONFIG_MAPS, GRANTS)
    return found === undefined ? undefined : grantsIn(found)
  }

  /** As a person with kubectl would. */
  spoil(text: string): void {
    const old = this.world.store.get(CONFIG_MAPS, GRANTS)
    assert.ok(old)
    const patch = { data: { grants: text } }
    patchObject(this.world, { resource: CONFIG_MAPS, old, contentType: MERGE_PATCH, patch, statusOnly: false })
  }

  remove(): void {
    this.world.store.remove(CONFIG_MAPS, GRANTS)
  }

  /** `n4: CordonNotGranted: …`, of all events, sorted. */
  events(): readonly string[] {
    return [...this.world.store.all(EVENTS)]
      .map(({ involvedObject, reason, message }) => {
        const { name } = involvedObject as { readonly name: string }
        return `${name}: ${String(reason)}: ${String(message)}`
      })
      .toSorted()
  }
}

/** Undefined where a person spoilt them. */
function grantsIn(object: Readonly<Record<string, unknown>>): Grants | undefined {
  const { grants = '' } = object.data as Readonly<Record<string, string>>
  return grants.startsWith('{') ? (JSON.parse(grants) as Grants) : undefined
}

export const until = (what: string, holds: () => boolean | Promise<boolean>, limitMs = 15_000): Promise<true> =>
  waitFor({ what, limitMs, everyMs: 10 }, async () => (await holds()) || undefined)

/** The one of them that leads, once one does. */
export async function leaderOf(controllers: readonly ControllerProcess[]): Promise<ControllerProcess> {
  let found: ControllerProcess | undefined
  await until('a leader', async () => {
    const states = await Promise.all(controllers.map(async (one) => (await one.health()).leader.state))
    found = controllers[states.indexOf('leading')]
    return found !== undefined
  })
  assert.ok(found)
  return found
}
