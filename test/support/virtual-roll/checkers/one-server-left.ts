import type { Checker } from './checker.ts'
import { SLOW_API_MS } from './evictions-only.ts'
import type { Scene, ServerFact } from './scene.ts'

/** Between two looks at a balancer, and until a process can act on what it saw. */
const UNSEEN_MS = 1_500
/** The same for what is asked of the API server, which is on its way for so long at most. */
const UNSEEN_BY_API_MS = UNSEEN_MS + SLOW_API_MS

/**
 * Before the reboot of its node is announced, no server is taken out while no other one of its backend carries: a backup does
 * not, nor does one that warms up. Where a
 * balancer goes by agents the cordon takes it out: an agent leaves by it, and what it is asked later changes nothing.
 */
export function oneServerLeft(scene: Scene): Checker {
  const lastCarried = new Map<string, number>()
  const backendOf = (key: string): string => key.slice(0, key.indexOf('/'))
  const mustStay = ({ isUsable, node, by }: ServerFact): boolean =>
    isUsable && !scene.isAnnounced(node) && !(by === 'agent' && scene.isCordoned(node))
  return {
    onLook: () => {
      for (const { key, carries } of scene.servers()) if (carries) lastCarried.set(key, scene.nowMs)
    },
    onAsked: ({ request }) => {
      if (request.kind === 'reboot') return
      const servers = scene.servers()
      // A slow balancer answers late, and carries out a command later than it was sent.
      const unseenMs = request.kind === 'api' ? UNSEEN_BY_API_MS : UNSEEN_MS + 2 * scene.balancerLateMs
      for (const { key, to } of [...scene.words(request), ...scene.cordonWords(request)]) {
        const isTaken = to !== 'ready' && servers.some((server) => server.key === key && mustStay(server))
        const isLeft = (other: string): boolean =>
          scene.nowMs - (lastCarried.get(other) ?? Number.NEGATIVE_INFINITY) < unseenMs
        const others = servers.filter((server) => server.key !== key && backendOf(server.key) === backendOf(key))
        if (isTaken && !others.some((server) => server.carries || isLeft(server.key)))
          scene.tell('one-server-left', `${key} was taken out, the last one that carries`)
      }
    },
  }
}
