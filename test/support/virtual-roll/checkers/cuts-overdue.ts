import type { Checker } from './checker.ts'
import type { Scene } from './scene.ts'
import { serverKey } from './server-word.ts'

const NAME = 'cuts-overdue'
/** Between two looks. */
const UNSEEN_MS = 150

/** Sessions are cut only on a server that was taken out longer ago than the idle limit. */
export function cutsOverdue(scene: Scene): Checker {
  const outSince = new Map<string, number>()
  return {
    onLook: () => {
      for (const { key, admin } of scene.servers()) {
        if (admin === 'ready') outSince.delete(key)
        else if (!outSince.has(key)) outSince.set(key, scene.nowMs)
      }
    },
    onAsked: ({ request }) => {
      if (request.kind !== 'balancer') return
      for (const [, path = ''] of request.line.matchAll(/\bshutdown sessions server (\S+)/g)) {
        const key = serverKey(request.instance, path)
        const outMs = scene.nowMs - (outSince.get(key) ?? scene.nowMs)
        scene.cutsMs.push({ instance: request.instance, atMs: scene.nowMs })
        if (outMs + UNSEEN_MS < scene.idleLimitMs)
          scene.tell(NAME, `sessions of ${key} were cut ${Math.round(outMs)} ms after it was taken out`)
      }
    },
  }
}
