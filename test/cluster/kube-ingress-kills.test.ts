import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { administrator } from '../support/administrator.ts'
import { ControllerProcess } from '../support/controller/controller-process.ts'
import { ApiFleet } from '../support/ingress-api/api-fleet.ts'
import { type ApiObject, annotationOf, claimsOn, nodeOf, operationOf } from '../support/ingress-api/api-object.ts'
import { CONTROLLER_WORDS, IngressApiGround } from '../support/ingress-api/ingress-api-ground.ts'
import { RolloutLaw } from '../support/ingress-api/rollout-law.ts'
import { requires } from '../support/requires.ts'
import { isNight } from '../support/roll-bed/at-night.ts'
import { SeededRandom } from '../support/seeded-random.ts'

/** A write of the controller, on its way to the API server. */
interface SeenWrite {
  readonly method: string
  readonly path: string
  readonly body: string
}

/**
 * The process that wrote dies before the API server hears of the write, or before the process hears the answer. `done`: the same,
 * where the API server has taken the write; where it refuses it nothing happens.
 */
type Death = 'before' | 'after' | 'done'

/**
 * A door on the way from a controller to a real API server. Each write of an effect is shown before it goes on, and the process
 * that sent it can be killed there, at exactly that write.
 */
class WriteDoor {
  /** Asked for each write. */
  judge: (write: SeenWrite) => Death | undefined = () => undefined
  /** Kills the process that writes. */
  kill: () => void = () => undefined
  readonly #server = createServer((asked, reply) => void this.#pass(asked, reply).catch(() => reply.destroy()))
  readonly #upstream: URL
  readonly #agent: Agent
  /** Of the controller: a client gives none to a server without TLS. */
  readonly #token: string

  constructor(kubeconfig: string, token: string) {
    const { server, tls } = administrator(kubeconfig)
    this.#token = token
    this.#upstream = new URL(server)
    // The API server knows a client by its token alone.
    this.#agent = new Agent({ ca: tls.ca, keepAlive: true })
  }

  async open(): Promise<number> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
    this.#agent.destroy()
  }

  async #pass(asked: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await buffer(asked)
    const write = { method: asked.method ?? '', path: asked.url ?? '', body: body.toString() }
    const death = isEffect(write) ? this.judge(write) : undefined
    if (death === 'before') {
      this.kill()
      reply.destroy()
      return
    }
    const { hostname, port } = this.#upstream
    const sent = request({
      ...{ hostname, port, method: write.method, path: write.path, agent: this.#agent },
      headers: { ...asked.headers, host: this.#upstream.host, authorization: `Bearer ${this.#token}` },
    })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    if (death === 'after' || (death === 'done' && (answer.statusCode ?? 500) < 300)) {
      this.kill()
      answer.destroy()
      reply.destroy()
      return
    }
    reply.once('close', () => answer.destroy())
    answer.once('error', () => reply.destroy())
    reply.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(reply)
  }
}

function tokenIn(kubeconfig: string): string {
  const { users } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as { users: { user: { token: string } }[] }
  return users[0]?.user.token ?? ''
}

/** The Lease by which it leads is written all the time. A status, Events and the grants of the brake have no part in a rollout. */
const isEffect = ({ method, path, body }: SeenWrite): boolean =>
  method !== 'GET' &&
  !/\/status$|\/events|\/configmaps/.test(path) &&
  !(path.includes('/leases') && isOfLeader(path, body))

const isOfLeader = (path: string, body: string): boolean =>
  path.endsWith('/evenkeel-controller') || body.includes('"name":"evenkeel-controller"')

/** A dead leader is replaced after that: as short as a busy machine allows. */
const LEASE = '2s'

/** `evenkeel controller` as a real process, which is killed with SIGKILL at chosen writes, and begun again at once. */
class MortalController {
  /** How often it was killed. */
  kills = 0
  /** Which write is its last one. */
  judge: (write: SeenWrite) => Death | undefined = () => undefined
  /** How often it ended by itself, because it could not renew its Lease in time. */
  lapses = 0
  readonly #door: WriteDoor
  readonly #kubeconfig: string
  #process: ControllerProcess | undefined
  #stopped = false
  #failure: unknown

  private constructor(door: WriteDoor, kubeconfig: string) {
    this.#door = door
    this.#kubeconfig = kubeconfig
    door.judge = (write) => (this.#stopped ? undefined : this.judge(write))
    door.kill = () => this.#kill()
  }

  static async begin(ground: IngressApiGround): Promise<MortalController> {
    const door = new WriteDoor(ground.bed.kubeconfig, tokenIn(ground.kubeconfig))
    const controller = new MortalController(door, ground.kubeconfigBy(await door.open()))
    controller.#live().catch((error: unknown) => {
      controller.#failure = error
    })
    return controller
  }

  /** Throws what went wrong with it. */
  mustBeWell(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  async end(): Promise<void> {
    this.#stopped = true
    await this.#process?.end('SIGKILL')
    this.#door.close()
  }

  /** One process after the other. */
  async #live(): Promise<void> {
    while (!this.#stopped) {
      const words = ['--kubeconfig', this.#kubeconfig, '--lease-duration', LEASE, ...CONTROLLER_WORDS]
      const process = await ControllerProcess.start(words)
      this.#process = process
      const code = await process.ended()
      if (code === 1) this.lapses += 1
      else if (code !== null) throw new Error(`the controller ended with ${code}: ${process.said.join('\n')}`)
    }
  }

  #kill(): void {
    this.kills += 1
    this.#process?.signal('SIGKILL')
  }
}

interface Marks {
  readonly deployment: string
  readonly node: string
}

/** A write after which a process dies, and what stands on the cluster then. */
interface CrashPoint {
  readonly title: string
  isLast(write: SeenWrite): boolean
  /** In words, `slot Detaching mark web:1`. */
  readonly found: string
}

const on =
  (kind: string, ...parts: readonly (string | RegExp)[]) =>
  ({ path, body }: SeenWrite): boolean =>
    path.includes(kind) && parts.every((part) => (typeof part === 'string' ? body.includes(part) : part.test(body)))

/** In the order of one node. The phase is written before the template, so that no template stands without its phase. */
const crashPoints = ({ node, deployment }: Marks): readonly CrashPoint[] => [
  {
    title: 'the slot is taken, and no operation is written',
    isLast: on('/leases', '"evenkeel.dev/node"'),
    found: 'slot web:old',
  },
  {
    title: 'the operation and the mark of the Deployment are written, and the Node is not claimed',
    isLast: on('/deployments/', /phase\\":\\"Detaching/, deployment),
    found: 'slot Detaching mark web:old',
  },
  {
    title: 'the Node is claimed and marked, and t1 is not written',
    isLast: on('/nodes/', 'detach-holders', `"op":"add"`),
    found: 'slot Detaching mark claim node-mark web:old',
  },
  {
    title: 'the template is written, and its pods are not there',
    isLast: on('/deployments/', '"template"'),
    found: 'slot Updating t1 mark claim node-mark web:new',
  },
  {
    title: 'the mark of the Node is removed, and that of the Deployment is not',
    isLast: on('/nodes/', `"op":"remove","path":"/metadata/annotations/${node.replace('/', '~1')}"`),
    found: 'slot Attaching t1 mark claim web:new',
  },
  {
    title: 'the operation is removed, and the slot is held',
    isLast: on('/deployments/', '"evenkeel.dev/ingress-operation":null'),
    found: 'slot web:new',
  },
]

/** The node for which a slot is held. */
function slotNode(ground: IngressApiGround): string | undefined {
  const held = ground.history.now('slots').find(isHeldSlot)
  return held === undefined ? undefined : nodeOf(held)
}

const isHeldSlot = ({ metadata, spec = {} }: ApiObject): boolean =>
  metadata.name.startsWith('evenkeel-slot-') && (spec.holderIdentity ?? '') !== ''

/** What stands there for that node, in the words of `CrashPoint.found`. */
function foundOn(fleet: ApiFleet, name: string, { marks, hasSlot }: { marks: Marks; hasSlot: boolean }): string {
  const [node, deployment] = [fleet.node(name), fleet.deploymentOf(name)]
  if (node === undefined || deployment === undefined) return 'nothing'
  const op = operationOf(deployment)
  const template = deployment.spec?.template as { readonly spec: { readonly containers: readonly { image: string }[] } }
  return [
    ...(hasSlot ? ['slot'] : []),
    ...(op === undefined ? [] : [op.phase]),
    ...(op?.t1 === undefined ? [] : ['t1']),
    ...(annotationOf(deployment, marks.deployment) === undefined ? [] : ['mark']),
    ...(claimsOn(node).length === 0 ? [] : ['claim']),
    ...(annotationOf(node, marks.node) === undefined ? [] : ['node-mark']),
    template.spec.containers[0]?.image ?? '',
  ].join(' ')
}

const ROUNDS = isNight ? 100 : 2
const KILLS_AT_MOST = isNight ? 3 : 1
const NODES = isNight ? 3 : 2
/** Each node takes some twelve. */
const WRITES_BETWEEN = 20
const ROUND_MS = 180_000

const ASKED = 'web.example/detach'
const ANSWERED = 'web.example/detached-at'
const MARKS = { deployment: 'web.example/to-be-updated', node: ASKED }
const GRACE_MS = 1_000
const ROLLING = {
  annotateDeploymentToDetach: { key: MARKS.deployment, gracePeriodSeconds: GRACE_MS / 1_000 },
  annotateNodeToDetach: { key: ASKED, value: 'true', gracePeriodSeconds: 0 },
  waitForDetachmentByAnnotatedTimestamp: { key: ANSWERED, gracePeriodSeconds: 0 },
}

describe('a controller that is killed by SIGKILL, on a real API server', requires('testbed', 'helm'), () => {
  let ground: IngressApiGround
  let controller: MortalController
  let fleet: ApiFleet
  let law: RolloutLaw

  before(async () => {
    ground = await IngressApiGround.open('1')
    controller = await MortalController.begin(ground)
    ground.detacher(ASKED, ANSWERED)
    law = new RolloutLaw(ground, MARKS)
    fleet = new ApiFleet(ground, { name: 'web', nodes: NODES })
    await fleet.makeNodes()
    await fleet.create('web:0', fleet.detaching(ROLLING))
  })
  after(async () => {
    await controller?.end()
    await ground?.close()
  })

  /** At so-manieth writes, drawn by the seed; each death counts from the one before. */
  function killsBy(seed: number): void {
    const random = new SeededRandom(seed)
    const draw = (most: number): number => 1 + Math.floor(random.next() * most)
    let [left, until] = [draw(KILLS_AT_MOST), draw(WRITES_BETWEEN)]
    controller.judge = () => {
      until -= 1
      if (left === 0 || until > 0) return undefined
      left -= 1
      until = draw(WRITES_BETWEEN)
      return random.next() < 0.5 ? 'before' : 'after'
    }
  }

  async function untilNothingIsLeft(): Promise<void> {
    let left: readonly string[] = []
    const wait = { what: 'nothing to be left', limitMs: 30_000, everyMs: 100, explain: () => left.join('\n') }
    await waitFor(wait, async () => {
      left = await law.leftOver(fleet)
      return left.length === 0 || undefined
    })
    controller.mustBeWell()
  }

  test(`in ${ROUNDS} rollouts, at writes drawn by a seed: each ends as if it had lived`, async (t) => {
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      const killed = controller.kills
      killsBy(seed)
      const since = await fleet.changeImage(`web:${seed}`)
      await fleet.rolledOut(`web:${seed}`, ROUND_MS)
      await untilNothingIsLeft()
      const { mostOut, early } = law.broken(since, [fleet], 2)
      const said = `seed ${seed}, killed ${controller.kills - killed} times`
      assert.deepEqual([mostOut.length, early], [1, []], `${said}; out at once: ${mostOut.join()}`)
      assert.ok(controller.kills > killed, said)
    }
    assert.deepEqual(ground.failures(), [])
    t.diagnostic(`${ROUNDS} rollouts, ${controller.kills} kills, ${controller.lapses} ended because of a late renewal`)
  })

  test('after each write of one node in turn, it goes on where it was, and neither begins anew nor waits shorter', async () => {
    await fleet.rolledOut(`web:${ROUNDS}`, ROUND_MS)
    const points = [...crashPoints(MARKS)]
    let diedAt: readonly [wallMs: number, node: string][] = []
    controller.judge = (write) => (points[0]?.isLast(write) === true ? 'done' : undefined)
    const killed = controller.kills
    const since = await fleet.changeImage('web:crash')
    for (let death = 1; points.length > 0; death += 1) {
      await ground.until(`death ${death}`, () => controller.kills === killed + death)
      const [{ title, found } = { title: '', found: '' }] = points.splice(0, 1)
      const expected = found.replace('web:old', `web:${ROUNDS}`).replace('web:new', 'web:crash')
      // The watch may show the slot a moment after the write.
      const nodeOfSlot = () => slotNode(ground) ?? ''
      const seen = () => foundOn(fleet, nodeOfSlot(), { marks: MARKS, hasSlot: nodeOfSlot() !== '' })
      await ground.until(`${title}: ${expected}`, () => seen() === expected, 5_000)
      diedAt = [...diedAt, [Date.now(), nodeOfSlot()]]
    }
    await fleet.rolledOut('web:crash', ROUND_MS)
    await untilNothingIsLeft()
    const [[, node] = [0, '']] = diedAt
    assert.deepEqual([...new Set(diedAt.map(([, name]) => name))], [node], 'all of them for one node')
    const operations = new Map<string, Set<string>>()
    const holders: string[] = []
    const templates: string[] = []
    let t1 = ''
    fleet.replay(since, (world) => {
      const deployment = fleet.deploymentIn(world, node)
      if (deployment === undefined) return
      const template = JSON.stringify(deployment.spec?.template)
      if (template !== templates.at(-1)) templates.push(template)
      const op = operationOf(deployment)
      if (op === undefined) return
      operations.set(op.id, (operations.get(op.id) ?? new Set()).add(op.t0))
      t1 = op.t1 ?? t1
    })
    fleet.replay(since, (_world, { kind, object }) => {
      if (kind === 'slots' && object.metadata.name.startsWith('evenkeel-slot-'))
        holders.push(isHeldSlot(object) ? (nodeOf(object) ?? '') : 'free')
    })
    assert.deepEqual(
      [...operations.values()].map((times) => times.size),
      [1],
      'one operation, begun once',
    )
    // Each kind has a watch of its own: the slot of the rollout before may be seen to become free only now.
    const ofNode = holders.slice(holders.indexOf(node))
    assert.equal(ofNode.lastIndexOf(node), ofNode.indexOf('free') - 1, 'the slot is held until it is given back once')
    const [markedAndDied = 0] = diedAt[2] ?? []
    assert.ok(
      Date.parse(t1) >= markedAndDied,
      'what began the grace of the Node was not written by the process that died',
    )
    assert.equal(templates.length, 2, 'the template of before, and the one after it')
    assert.deepEqual(
      Object.values(law.broken(since, [fleet], 2)).map((found) => found.length),
      [1, 0],
    )
  })

  test('while its object is deleted in the middle of a rollout: the nodes are put back before the object goes', async () => {
    const since = await fleet.changeImage('web:last')
    await ground.until('a node whose pods change', () =>
      fleet.deployments().some((one) => operationOf(one)?.phase === 'Updating'),
    )
    const killed = controller.kills
    let isDeleted = false
    controller.judge = ({ path }) => {
      if (!isDeleted || controller.kills > killed || !path.includes('/nodes/')) return undefined
      return 'done'
    }
    isDeleted = true
    await ground.mustAsk('DELETE', `${fleet.path}/${fleet.name}`)
    await ground.until('the death', () => controller.kills > killed)
    const object = fleet.object()
    assert.deepEqual(object?.metadata.finalizers, ['evenkeel.dev/detached-nodes'])
    await ground.until('the object to be gone', () => fleet.object() === undefined)
    let left: readonly string[] | undefined
    fleet.replay(since, (world, { kind, type }) => {
      if (kind !== 'objects' || type !== 'DELETED') return
      left = [...world.nodes.values()]
        .filter((one) => claimsOn(one).length > 0 || one.metadata.annotations?.[ASKED] !== undefined)
        .map(({ metadata }) => metadata.name)
    })
    assert.deepEqual(left, [])
    await untilNothingIsLeft()
    const uid = object?.metadata.uid
    await ground.until('all that was its own to be gone', () =>
      [...ground.history.now('deployments'), ...ground.history.now('gates'), ...ground.history.now('pods')].every(
        ({ metadata }) => metadata.labels?.['evenkeel.dev/ingress-uid'] !== uid,
      ),
    )
  })
})
