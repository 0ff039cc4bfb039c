import { isDeepStrictEqual } from 'node:util'
import { parseConfig } from '../../../src/service/actuators/haproxy/io/parse-config.ts'
import type { HaproxyConfig } from '../../../src/service/model/haproxy-config.ts'
import { drawConfig } from './draw.ts'
import { type Running, type RunningServer, whileRunning } from './running.ts'

type Compared = 'alike' | 'refused by HAProxy' | { readonly difference: string }

/** What the reader says of a drawn file, and what a HAProxy that runs by it says. A line that is named as a doubt may differ. */
export async function compareConfig(seed: number, folder: string): Promise<Compared> {
  const drawn = drawConfig(seed, folder)
  const found = await whileRunning(drawn, async (running) =>
    differences(parseConfig('haproxy.cfg', drawn.text), running),
  )
  if (found === undefined) return 'refused by HAProxy'
  return found.length === 0 ? 'alike' : { difference: [`file ${seed}`, ...found, drawn.text].join('\n') }
}

function differences(config: HaproxyConfig, running: Running): readonly string[] {
  const doubts = config.doubts.map(({ text }) => text)
  // What a condition leaves out is not known.
  const isWhole = !doubts.some((text) => text.startsWith('.'))
  const isCertain = ({ name }: { readonly name: string }): boolean => !doubts.some((text) => isAbout(text, name))
  const read = readServers(config).filter(isCertain)
  const runs = running.servers.filter(isCertain)
  const readOf = new Map(read.map((server) => [keyOf(server), server]))
  const runsOf = new Map(runs.map((server) => [keyOf(server), server]))
  const both = [...runsOf].filter(([key]) => readOf.has(key))
  return [
    // A backend that is disabled has its checks not set up, and a check that is doubted is so for those that track it.
    ...both.flatMap(([key, server]) => {
      const tracked = (running.tracked.get(key) ?? '').split('/').at(-1) ?? ''
      const isSeen = running.modes.has(server.backend) && isCertain({ name: tracked })
      const { isChecked } = isSeen ? server : (readOf.get(key) ?? server)
      return differing(readOf.get(key), { ...server, isChecked })
    }),
    ...(isWhole ? differing([...readOf.keys()].toSorted(), [...runsOf.keys()].toSorted()) : []),
    ...(doubts.some((text) => text.startsWith('mode')) ? [] : differing(...modes(config, running))),
    ...differing(...disabled(config, running)),
    ...differing(...sockets(config, running)),
    ...(isWhole ? differing(listens(config, running), running.listens) : []),
  ]
}

const keyOf = ({ backend, name }: { readonly backend: string; readonly name: string }): string => `${backend}/${name}`

const differing = (read: unknown, runs: unknown): readonly string[] =>
  isDeepStrictEqual(read, runs) ? [] : [`read ${JSON.stringify(read)}`, `runs ${JSON.stringify(runs)}`]

/** Whether a doubted line is that of a server, whose name may have a variable or a number behind it. */
function isAbout(line: string, name: string): boolean {
  const text = line.replaceAll(/\\x(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const [, kind, written = ''] = /^(server|server-template)\s+["']?([a-z]+[-._:]?\d+)/.exec(text) ?? []
  return kind === 'server-template'
    ? name.startsWith(written)
    : [written, `${written}8007`, `${written}$PORT`].includes(name)
}

const readServers = ({ backends }: HaproxyConfig): readonly RunningServer[] =>
  backends.flatMap((backend) =>
    backend.servers.map(({ name, address, port, checked }) => ({
      ...{ backend: backend.name, name, address, port },
      isChecked: checked,
    })),
  )

type Pair = readonly [read: unknown, runs: unknown]

/** Of backends that are not disabled: the others do not show it. */
function modes({ backends }: HaproxyConfig, running: Running): Pair {
  const read = backends.filter(({ name }) => running.modes.has(name)).map(({ name, mode }) => [name, mode])
  return [Object.fromEntries(read), Object.fromEntries(running.modes)]
}

/** Of backends with servers: one without any is not seen where it is disabled. */
function disabled({ backends }: HaproxyConfig, { servers, modes: enabled }: Running): Pair {
  const withServers = new Set(servers.map(({ backend }) => backend))
  const read = backends.filter(({ name, disabled: is }) => is && withServers.has(name)).map(({ name }) => name)
  return [read.toSorted(), [...withServers].filter((name) => !enabled.has(name)).toSorted()]
}

/** One whose path has a variable is doubted. */
function sockets(config: HaproxyConfig, running: Running): Pair {
  const read = config.sockets.map(({ address, level }) => {
    const at =
      address.kind === 'unix'
        ? `unix@${address.path}`
        : address.kind === 'tcp'
          ? `ipv4@${address.host}:${address.port}`
          : ''
    return `${at} ${level}`
  })
  return [read.toSorted(), running.sockets.filter((line) => !/-8007 \w+$/.test(line)).toSorted()]
}

/** Those of runtime sockets are not of a frontend. */
function listens(config: HaproxyConfig, running: Running): readonly string[] {
  const binds = config.frontends.flatMap((frontend) => frontend.binds)
  const ofSockets = running.sockets.flatMap((line) => /^ipv4@(\S+) /.exec(line)?.[1] ?? [])
  return [...binds.map(({ address, port }) => `${address}:${port}`), ...ofSockets].toSorted()
}
