import { isMap } from './merge-patch.ts'

type JsonMap = Readonly<Record<string, unknown>>

const COUNTED = ['cpu', 'memory']

/** What a node does to a pod when it runs short, by what the pod asks for (pkg/apis/core/v1/helper/qos/qos.go, ComputePodQOS). */
export function qosClassOf(spec: unknown): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const { containers, initContainers } = isMap(spec) ? spec : {}
  const all = [containers, initContainers].flatMap((list) => (Array.isArray(list) ? list.filter(isMap) : []))
  const [asked, limits] = ['requests', 'limits'].map((name) => all.map((each) => counted(each, name)))
  if (asked === undefined || limits === undefined) return 'BestEffort'
  if ([...asked, ...limits].every((each) => Object.keys(each).length === 0)) return 'BestEffort'
  const isLimited = limits.every((each) => COUNTED.every((name) => each[name] !== undefined))
  const isSame = asked.every((each, index) =>
    COUNTED.every((name) => (each[name] ?? limits[index]?.[name]) === limits[index]?.[name]),
  )
  return isLimited && isSame ? 'Guaranteed' : 'Burstable'
}

function counted({ resources }: JsonMap, name: string): JsonMap {
  const amounts = isMap(resources) && isMap(resources[name]) ? resources[name] : {}
  return Object.fromEntries(
    Object.entries(amounts).filter(([key, value]) => COUNTED.includes(key) && !/^0(\D|$)/.test(String(value))),
  )
}
