import type { InstanceAddress } from '../../../service/model/balancer-spec.ts'
import type { Field } from './roll-file-outline.ts'

/** The fields in the roll file. */
export function addressFields(address: InstanceAddress): readonly Field[] {
  switch (address.kind) {
    case 'unix':
      return [{ key: 'socket', value: address.path }]
    case 'tcp':
      return [{ key: 'tcp', value: addressText(address) }]
    case 'ssh': {
      const fields = [
        { key: 'host', value: address.host },
        { key: 'socket', value: address.path },
      ]
      return [{ key: 'ssh', value: { fields } }]
    }
  }
}

/** The form of `--haproxy-socket`. */
export function addressText(address: InstanceAddress): string {
  switch (address.kind) {
    case 'unix':
      return address.path
    case 'tcp':
      return address.host.includes(':') ? `[${address.host}]:${address.port}` : `${address.host}:${address.port}`
    case 'ssh':
      return `${address.host}:${address.path}`
  }
}

/** `/run/haproxy.sock`, `10.0.0.5:9999` or `ops@lb-1:/run/haproxy.sock`; undefined for anything else. */
export function parseAddress(text: string): InstanceAddress | undefined {
  if (text.startsWith('/')) return { kind: 'unix', path: text }
  const [, host = '', rest = ''] = /^((?:[\w.-]+@)?(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_][\w.-]*)):(.+)$/.exec(text) ?? []
  if (host === '') return undefined
  if (rest.startsWith('/')) return { kind: 'ssh', host, path: rest }
  const port = Number(rest)
  const isPort = /^\d{1,5}$/.test(rest) && port >= 1 && port <= 65_535
  return isPort && !host.includes('@') ? { kind: 'tcp', host: host.replace(/^\[(.*)\]$/, '$1'), port } : undefined
}

/** Valid names for the roll file, each once: `lb-1` for a socket of this machine, otherwise the host. */
export function instanceNames(addresses: readonly InstanceAddress[]): readonly string[] {
  const used = new Set<string>()
  return addresses.map((address, at) => {
    const base =
      address.kind === 'unix' ? `lb-${at + 1}` : (plainName(address.host.replace(/^.*@/, '')) ?? `lb-${at + 1}`)
    let name = base
    for (let more = 2; used.has(name); more += 1) name = `${base}-${more}`
    used.add(name)
    return name
  })
}

/** The text as a name of the roll file; undefined where no part of it can be one. */
export function plainName(text: string): string | undefined {
  const name = text
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 60)
    .replace(/^[._-]+|[._-]+$/g, '')
  return name === '' ? undefined : name
}
