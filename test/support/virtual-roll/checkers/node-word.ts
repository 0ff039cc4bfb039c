import { REQUEST } from '../virtual-detacher.ts'
import { MARK, MARK_ANNOTATION, MARK_LABEL } from '../virtual-health-checks.ts'
import { MAINTENANCE } from './claimants.ts'

/** What asks something beside the Node to let it go: its agent, a detacher, or what answers its health checks. By the words of the journal. */
export type NodeWord = 'askAgent' | 'askDetacher' | 'setNodeMark'

export const TAINTS_PATH = '/spec/taints'

const pathOf = (map: 'annotations' | 'labels', key: string): string => `/metadata/${map}/${key.replaceAll('/', '~1')}`

const WORDS: ReadonlyMap<string, NodeWord> = new Map([
  [pathOf('annotations', MAINTENANCE), 'askAgent'],
  [pathOf('annotations', REQUEST), 'askDetacher'],
  [pathOf('annotations', MARK_ANNOTATION), 'setNodeMark'],
  [pathOf('labels', MARK_LABEL), 'setNodeMark'],
])

/** What is asked for at that path of a Node; undefined: nothing of it. */
export const wordAt = (path: string): NodeWord | undefined => WORDS.get(path)

/** The taint, or among the taints, that health checks go by. */
export const isMarkTaint = ({ path, value }: { readonly path: string; readonly value?: unknown }): boolean =>
  path.startsWith(TAINTS_PATH) && (JSON.stringify(value) ?? '').includes(`"${MARK}"`)
