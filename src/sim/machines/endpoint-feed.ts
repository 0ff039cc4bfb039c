import type { SeededRandom } from '../clocks/seeded-random.ts'
import type { Destination } from '../network/network.ts'
import type { PodProcess, PodStart } from '../plane/data-plane.ts'
import type { ApiObject } from '../world/api-object.ts'
import { ENDPOINT_SLICES } from '../world/api-resource.ts'
import type { World } from '../world/world.ts'
import type { ApiAccess } from './api-access.ts'
import type { SliceObject } from './endpoints-for.ts'
import { Lifetime } from './lifetime.ts'
import { Reflector } from './reflector.ts'

interface EndpointFeedParts {
  readonly world: Pick<World, 'store'>
  readonly random: SeededRandom
  readonly access: ApiAccess
  /** Of the kubelet that runs it. */
  readonly life: Lifetime
}

interface Followed {
  readonly namespace: string
  readonly service: string
  readonly tell: (endpoints: readonly Destination[]) => void
}

/**
 * From a change until requests go by it. The controller's watch has it within 5 to 30 ms and hands it to nginx, whose workers
 * look once a second (ingress-nginx, rootfs/etc/nginx/lua/balancer.lua, BACKENDS_SYNC_INTERVAL).
 */
const HEARD_MS = [5, 1_030] as const
const SERVICE_NAME = 'kubernetes.io/service-name'

/**
 * The controller within the pod of an ingress: tells it which endpoints of a Service are ready. While the API is away they
 * stay as they were.
 */
export class EndpointFeed {
  readonly #parts: EndpointFeedParts
  readonly #followed: Followed
  /** Of the process that is told. */
  readonly #life: Lifetime
  readonly #reflector: Reflector
  readonly #unfollow: () => void
  /** Of when the API went away. */
  #known: readonly Destination[] = []
  #isPlanned = false

  constructor(parts: EndpointFeedParts, followed: Followed) {
    const { world, life, access, random } = parts
    this.#parts = parts
    this.#followed = followed
    this.#life = new Lifetime(life)
    const onLost = (): void => {
      if (this.#isPlanned) this.#known = this.#endpoints()
    }
    this.#reflector = new Reflector({ access, timers: this.#life, random, onLost, onBack: () => this.#changed() })
    this.#unfollow = world.store.subscribe(ENDPOINT_SLICES, ({ object }) => {
      if (life.isOver) this.#unfollow()
      else if (this.#concerns(object)) this.#changed()
    })
    this.#changed()
  }

  end(): void {
    this.#unfollow()
    this.#life.end()
  }

  #concerns({ metadata }: ApiObject): boolean {
    const { service, namespace } = this.#followed
    return metadata.namespace === namespace && metadata.labels?.[SERVICE_NAME] === service
  }

  #changed(): void {
    if (this.#isPlanned || !this.#reflector.isFollowing) return
    this.#isPlanned = true
    this.#life.later(this.#parts.random.between(...HEARD_MS), () => {
      this.#isPlanned = false
      this.#followed.tell(this.#reflector.isFollowing ? this.#endpoints() : this.#known)
    })
  }

  #endpoints(): readonly Destination[] {
    const slices = [...this.#parts.world.store.all(ENDPOINT_SLICES)].filter((slice) => this.#concerns(slice))
    return (slices as readonly SliceObject[]).flatMap(readyIn)
  }
}

/** Undefined where the process forwards to no Service. */
export function feedOf(
  process: PodProcess,
  { app: { forwardsTo }, namespace }: PodStart,
  parts: EndpointFeedParts,
): EndpointFeed | undefined {
  if (forwardsTo === undefined) return undefined
  const [service = '', within = namespace] = forwardsTo.split('/').toReversed()
  return new EndpointFeed(parts, {
    namespace: within,
    service,
    tell: (endpoints) => process.setEndpoints?.(endpoints),
  })
}

/** At the first port, since a Service that is forwarded to by name alone has one. An absent `ready` counts as true. */
function readyIn({ endpoints, ports }: SliceObject): readonly Destination[] {
  const port = ports?.[0]?.port
  if (port === undefined) return []
  return (endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready ?? true)
    .flatMap(({ addresses }) => addresses.slice(0, 1).map((host) => ({ host, port })))
}
