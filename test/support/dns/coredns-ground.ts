import { createSocket } from 'node:dgram'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { systemClock } from '../../../src/ground/machine/system-clock.ts'
import { monoMs, wallMs } from '../../../src/ground/model/time.ts'
import { CONFIG_MAPS, ENDPOINT_SLICES, NAMESPACES, NODES, PODS, SERVICES } from '../../../src/sim/world/api-resource.ts'
import { createObject } from '../../../src/sim/world/create-object.ts'
import { Store } from '../../../src/sim/world/store.ts'
import { buildFolder } from '../../../testbed/build/cache-root.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { ephemeralPorts } from '../ephemeral-port.ts'
import { LoopbackApi } from '../loopback-api.ts'
import { SeededRandom } from '../seeded-random.ts'
import { SpokenProcess } from '../spoken-process.ts'

/** What is made now was made so long ago: younger Services need not be known to CoreDNS yet. */
const AGE_MS = 120_000
const LOOPBACK = '127.0.0.1'
const NAMESPACE = 'kube-system'

interface CorefileParts {
  readonly port: number
  readonly metricsPort: number
  readonly healthPort: number
  readonly readyPort: number
  readonly api: string
  /** Absent: it forwards nothing. */
  readonly upstream?: number | undefined
}

/** As kubeadm writes it, at ports of a process among others. Plugin `loop` asks the process itself over UDP, and ends it where there is a loop. */
const corefile = ({ port, metricsPort, healthPort, readyPort, api, upstream }: CorefileParts): string => `.:${port} {
    errors
    health ${LOOPBACK}:${healthPort} {
       lameduck 5s
    }
    ready ${LOOPBACK}:${readyPort}
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       endpoint ${api}
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    prometheus ${LOOPBACK}:${metricsPort}
${upstream === undefined ? '' : `    forward . ${LOOPBACK}:${upstream} {\n       max_concurrent 1000\n    }\n`}    cache 30 {
       disable success cluster.local
       disable denial cluster.local
    }
${upstream === undefined || upstream === port ? '' : '    loop\n'}    reload
    loadbalance
}
`

interface Setting {
  /** Whether the pod at that place hears of the cluster from the beginning; it does by default. */
  readonly isHeard?: (at: number) => boolean
  /** The port on loopback to which it forwards names outside; `own` is that of the pod itself. By default it forwards none. */
  readonly upstream?: (at: number, own: number) => number
}

/** A real CoreDNS, which hears of the cluster through a door of its own. */
interface CoreDnsPod {
  readonly name: string
  readonly port: number
  readonly door: LoopbackApi
  readonly process: SpokenProcess
}

/**
 * Real CoreDNS processes, each a pod of the embedded cluster with a port of its own on loopback. The Service's address leads
 * to the first of them.
 */
export class CoreDnsGround {
  readonly api: LoopbackApi
  readonly pods: CoreDnsPod[] = []
  readonly #world = {
    store: new Store(),
    clock: {
      ...systemClock,
      monoMs: () => monoMs(systemClock.monoMs()),
      // Creation times count whole seconds: each Service is newer than the one before.
      wallMs: () => wallMs(systemClock.wallMs() - AGE_MS + this.#services * 1_000),
    },
    random: new SeededRandom(7),
  }
  readonly #t: TestContext
  #services = 0
  readonly #folder: string

  private constructor(t: TestContext, folder: string) {
    this.#t = t
    this.#folder = folder
    this.api = new LoopbackApi(this.#world as never, folder)
  }

  static async of(t: TestContext, replicas: number, setting: Setting = {}): Promise<CoreDnsGround> {
    const folder = await mkdtemp(join(tmpdir(), 'evenkeel-coredns-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const ground = new CoreDnsGround(t, folder)
    await ground.api.back()
    t.after(() => ground.api.away())
    for (const name of ['default', NAMESPACE]) ground.#create(NAMESPACES, undefined, { metadata: { name } })
    ground.service('default', 'kubernetes', '10.96.0.1')
    const ports = { port: 53, metricsPort: 9153, healthPort: 8080, readyPort: 8181 }
    const data = { Corefile: corefile({ ...ports, api: 'https://10.96.0.1', upstream: setting.upstream?.(0, 53) }) }
    ground.#create(CONFIG_MAPS, NAMESPACE, { metadata: { name: 'coredns' }, data })
    for (let at = 0; at < replicas; at += 1) await ground.#start(at, setting)
    ground.service(NAMESPACE, 'kube-dns', LOOPBACK, ground.pods[0]?.port)
    return ground
  }

  service(namespace: string, name: string, address: string, port = 53): void {
    this.#services += 1
    const ports = [{ name: 'dns', protocol: 'UDP', port }]
    const selector = { 'k8s-app': name }
    const spec = { clusterIP: address, clusterIPs: [address], ports, selector }
    this.#create(SERVICES, namespace, { metadata: { name, namespace }, spec })
  }

  async #start(at: number, { isHeard, upstream }: Setting): Promise<void> {
    const name = `coredns-${at + 1}`
    // It writes a kubeconfig of its own.
    const door = new LoopbackApi(this.#world as never, await mkdtemp(join(this.#folder, 'door-')))
    await door.back()
    this.#t.after(() => door.away())
    const ports = await freePorts()
    const { port, metricsPort } = ports
    const path = join(this.#folder, `Corefile-${at + 1}`)
    await writeFile(path, corefile({ ...ports, api: door.url, upstream: upstream?.(at, port) }))
    if (isHeard?.(at) === false) door.away()
    const process = new SpokenProcess(this.#t, [join(buildFolder(), 'bin', 'coredns'), '-conf', path])
    this.#register(name, `n${at + 1}`, { port, metricsPort })
    this.pods.push({ name, port, door, process })
    await waitFor(
      { what: `${name} to listen`, limitMs: 20_000, everyMs: 20, explain: () => process.errors },
      async () => (process.lines.some((line) => line.startsWith('CoreDNS-')) ? true : undefined),
    )
  }

  #register(
    name: string,
    node: string,
    { port, metricsPort }: { readonly port: number; readonly metricsPort: number },
  ): void {
    const { store } = this.#world
    const condition = [{ type: 'Ready', status: 'True' }]
    const knownNode = this.#create(NODES, undefined, { metadata: { name: node } })
    store.put(NODES, { ...knownNode, status: { conditions: condition, addresses: [] } } as never)
    const volumes = [{ name: 'config', configMap: { name: 'coredns' } }]
    const ports = [{ name: 'metrics', containerPort: metricsPort, protocol: 'TCP' }]
    const containers = [{ name: 'coredns', image: 'registry.example/coredns:v1.14.7', ports }]
    const metadata = { name, namespace: NAMESPACE, labels: { 'k8s-app': 'kube-dns' } }
    const pod = this.#create(PODS, NAMESPACE, { metadata, spec: { nodeName: node, volumes, containers } })
    const status = { phase: 'Running', podIP: LOOPBACK, podIPs: [{ ip: LOOPBACK }], conditions: condition }
    store.put(PODS, { ...pod, status } as never)
    const slice = {
      name: `kube-dns-${name}`,
      namespace: NAMESPACE,
      labels: { 'kubernetes.io/service-name': 'kube-dns' },
    }
    this.#create(ENDPOINT_SLICES, NAMESPACE, {
      metadata: slice,
      addressType: 'IPv4',
      ports: [{ name: 'dns', protocol: 'UDP', port }],
      endpoints: [
        {
          addresses: [LOOPBACK],
          conditions: { ready: true, serving: true },
          targetRef: { kind: 'Pod', name, uid: pod.metadata.uid },
        },
      ],
    })
  }

  #create(resource: typeof PODS, namespace: string | undefined, body: object) {
    return createObject(this.#world as never, { resource, body, ...(namespace === undefined ? {} : { namespace }) })
  }
}

/**
 * Ports that were free a moment ago, that of DNS also over UDP. They differ: where CoreDNS has one twice, it opens both, and the other page hears
 * what is asked over TCP.
 */
async function freePorts(): Promise<Omit<CorefileParts, 'api' | 'upstream'>> {
  for (;;) {
    const [port = 0, metricsPort = 0, healthPort = 0, readyPort = 0] = await ephemeralPorts(4)
    const socket = createSocket('udp4')
    const isFree = await new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(false)).bind(port, () => resolve(true))
    })
    socket.close()
    if (isFree) return { port, metricsPort, healthPort, readyPort }
  }
}
