import { isMap } from './merge-patch.ts'

type JsonMap = Readonly<Record<string, unknown>>

const SECONDS = 300

/** A pod bears it for five minutes that its node is not ready or not reached (admission, DefaultTolerationSeconds). */
export function withDefaultTolerations(spec: JsonMap): JsonMap {
  const own: readonly unknown[] = Array.isArray(spec.tolerations) ? spec.tolerations : []
  const missing = ['not-ready', 'unreachable']
    .map((name) => `node.kubernetes.io/${name}`)
    .filter((key) => !own.some((toleration) => isMap(toleration) && covers(toleration, key)))
  if (missing.length === 0) return spec
  const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }))
  return { ...spec, tolerations: [...own, ...added] }
}

const covers = ({ key = '', effect = '' }: JsonMap, wanted: string): boolean =>
  (key === wanted || key === '') && (effect === 'NoExecute' || effect === '')
