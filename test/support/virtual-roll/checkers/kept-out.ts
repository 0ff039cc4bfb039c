import type { Checker } from './checker.ts'
import type { Scene } from './scene.ts'
import { TakenOut } from './taken-out.ts'

const NAME = 'kept-out'
/** From a reload, or somebody's word, until the server is out again. */
const LIMIT_MS = 2_000

/**
 * What a roll took out stays out until the roll itself puts it back: whoever else sets it ready is answered within two
 * seconds, as long as there is a process to do so.
 */
export function keptOut(scene: Scene): Checker {
  const out = new TakenOut(scene)
  const since = new Map<string, number>()
  return {
    onAsked: ({ request }) => out.note(request),
    onLook: () => {
      for (const { key, admin } of scene.servers()) {
        if (
          admin !== 'ready' ||
          !out.keys.has(key) ||
          scene.prior.servers.get(key) !== 'ready' ||
          !scene.isSomebodyThere()
        ) {
          since.delete(key)
          continue
        }
        const from = since.get(key) ?? scene.nowMs
        since.set(key, from)
        if (scene.nowMs - from > LIMIT_MS) {
          scene.tell(NAME, `${key} is ready since ${Math.round(scene.nowMs - from)} ms, though a roll took it out`)
          since.set(key, Number.POSITIVE_INFINITY)
        }
      }
    },
  }
}
