import { readFile } from 'node:fs/promises'
import type { BalancerPart, BalancerRequest } from '../../src/explain/cli/init/init-actions.ts'
import type { SeenBackend, SeenInstance } from '../../src/explain/decide/init/init-snapshot.ts'
import { addressText, instanceNames } from '../../src/explain/decide/init/instance-address.ts'
import { existing } from '../../src/explain/io/place-files.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { present } from '../../src/ground/model/present.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { HaproxyBalancer } from '../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import { parseConfig } from '../../src/service/actuators/haproxy/io/parse-config.ts'
import type { BackendInspection, InstanceInspection } from '../../src/service/model/balancer-inspection.ts'
import type { InstanceAddress } from '../../src/service/model/balancer-spec.ts'
import type { ConfigSocket, HaproxyConfig } from '../../src/service/model/haproxy-config.ts'
import { attempt } from '../doctor/attempt.ts'

/** Where packages put them. */
const USUAL_SOCKETS = ['/run/haproxy/admin.sock', '/run/haproxy.sock', '/var/lib/haproxy/stats']
const USUAL_CONFIG = '/etc/haproxy/haproxy.cfg'

/** Asks each runtime socket that was named, otherwise those of the haproxy.cfg, otherwise the usual ones of this machine. */
export async function readBalancers(request: BalancerRequest, signal: AbortSignal): Promise<BalancerPart> {
  const isNamed = request.sockets.length > 0 || request.config !== undefined
  const [usual] = isNamed || !request.searchHere ? [] : await existing([USUAL_CONFIG])
  const found = await readConfig(request.config ?? usual)
  // The file that a distribution installs sends nothing anywhere: it is no answer to what sends to the nodes.
  const config = isNamed || found?.backends.some(({ servers }) => servers.length > 0) === true ? found : undefined
  const addresses =
    request.sockets.length > 0
      ? request.sockets
      : await socketsOf(config, request.searchHere && !isNamed && usual === undefined)
  const names = instanceNames(addresses)
  const asked = await Promise.all(addresses.map((address, at) => ask({ name: names[at] ?? '', address }, signal)))
  const fromConfig = config !== undefined && request.sockets.length === 0
  const instances = fromConfig ? asked.map((instance) => withConfig(instance, config)) : asked
  return { instances, ...present({ config }) }
}

async function readConfig(path: string | undefined): Promise<HaproxyConfig | undefined> {
  if (path === undefined) return undefined
  try {
    return parseConfig(path, await readFile(path, 'utf8'))
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UserError(`cannot read ${path}: ${why}`, {
      code: 'file.read',
      fix: 'name the haproxy.cfg with --haproxy-config',
      cause,
    })
  }
}

/** One socket is enough, preferably one that may set states. */
async function socketsOf(config: HaproxyConfig | undefined, searchHere: boolean): Promise<readonly InstanceAddress[]> {
  const rank = ({ level }: ConfigSocket): number => (level === 'admin' ? 0 : 1)
  const [first] = (config?.sockets ?? []).toSorted((a, b) => rank(a) - rank(b))
  if (first !== undefined) return [first.address]
  if (!searchHere) return []
  return (await existing(USUAL_SOCKETS)).slice(0, 1).map((path) => ({ kind: 'unix', path }))
}

type Named = Pick<SeenInstance, 'name' | 'address'>

async function ask({ name, address }: Named, signal: AbortSignal): Promise<SeenInstance> {
  const instance = { name, address, at: addressText(address) }
  const inspection = await attempt(signal, async (limited) => {
    // An inspection lists the other backends of a process only as outside its allow-list, so that list is empty here.
    const all = await inspect({ name, address }, [], limited)
    return inspect({ name, address }, [...new Set(all.outside.map(({ backend }) => backend))], limited)
  })
  if (inspection.is === 'failed') return { ...instance, backends: inspection }
  const { backends, level } = inspection.value
  return { ...instance, level, backends: { is: 'found', value: backends.map(seenBackend) } }
}

async function inspect(instance: Named, backends: readonly string[], signal: AbortSignal): Promise<InstanceInspection> {
  const balancer = new HaproxyBalancer({
    spec: { name: instance.name, instances: [instance], backends },
    clock,
    random,
  })
  try {
    return await balancer.inspect(instance.name, signal)
  } finally {
    await balancer.close()
  }
}

const seenBackend = ({ name, mode, servers }: BackendInspection): SeenBackend => ({
  name,
  mode,
  disabled: false,
  servers: servers.map(({ ref, address, port, check }) => ({
    name: ref.server,
    address,
    port,
    checked: check !== 'none',
  })),
})

/** A haproxy.cfg that was copied here names a socket of another machine. */
function withConfig(instance: SeenInstance, config: HaproxyConfig): SeenInstance {
  const { backends } = instance
  if (backends.is === 'found') return instance
  return { ...instance, silent: backends.text, backends: { is: 'found', value: config.backends } }
}
