import type { Handlers, HaproxyArgument } from '../wire/operations.ts'
import { Haproxy } from './haproxy.ts'
import { openPassage } from './passage.ts'
import { controlPlaneNodes } from './plan.ts'
import type { Rack } from './rack.ts'

/** What the rack does upon each request. */
export function rackHandlers(rack: Rack, up: Promise<void>): Handlers {
  const passages = new Map<string, Promise<string>>()
  const haproxies = new Map<string, Haproxy>()
  return {
    up: () => done(up),
    waitReady: ({ limitMs }) => done(rack.waitReady(limitMs)),
    powerOn: async ({ node }) => done(rack.node(node).powerOn()),
    powerOff: async ({ node }) => done(rack.node(node).powerOff()),
    reboot: async ({ node, hard }) => done(rack.node(node).reboot(hard)),
    async setDarkMs({ node, darkMs }) {
      rack.node(node).setDarkMs(darkMs)
      return null
    },
    setPlugged: async ({ node, plugged }) => done(rack.node(node).setPlugged(plugged)),
    bootId: async ({ node }) => rack.node(node).bootId,
    exec: async ({ node, argv, stdin }) => rack.node(node).exec(argv, stdin),
    async api({ action }) {
      const { controlPlane, plan } = rack
      if (plan.stacked)
        throw new Error(`${controlPlaneNodes(plan).join(', ')} have an API server each: stop a node instead`)
      if (action === 'start') await controlPlane.startServer()
      else await (action === 'stop' ? controlPlane.stopServer() : controlPlane.killServer())
      return null
    },
    passage({ host, port }) {
      const key = `${host}:${port}`
      const passage = passages.get(key) ?? openPassage(rack.plan.runtime, host, port)
      passages.set(key, passage)
      return passage
    },
    async haproxy(argument) {
      const haproxy = haproxies.get(argument.name) ?? new Haproxy(rack.plan, argument.name)
      haproxies.set(argument.name, haproxy)
      await actOn(haproxy, argument)
      return { socket: haproxy.socket, pid: haproxy.pid }
    },
  }
}

async function actOn(haproxy: Haproxy, { action, config }: HaproxyArgument): Promise<void> {
  if (typeof action === 'object') haproxy.signal(action.signal)
  else if (action === 'start') await haproxy.start(config)
  else if (action === 'reload') await haproxy.reload(config)
  else await haproxy.kill()
}

async function done(work: Promise<unknown>): Promise<null> {
  await work
  return null
}
