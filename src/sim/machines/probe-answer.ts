import type { ContainerProcess } from '../plane/data-plane.ts'
import { workOf } from './container-work.ts'
import type { ContainerSpec, ProbeSpec } from './node-pod.ts'

/** Where apps say whether they are ready; what else they are asked for, they answer for as long as they run. */
const READINESS_PATHS: readonly (string | undefined)[] = ['/readyz', '/ready', '/nodecheck']

export type ProbeKind = 'startup' | 'readiness' | 'liveness'

/** What a probe hears of a process that runs. */
export function probeAnswer(
  { process, container }: { readonly process: ContainerProcess; readonly container: ContainerSpec },
  kind: ProbeKind,
  { httpGet, tcpSocket, grpc, exec }: ProbeSpec,
): boolean {
  if (exec !== undefined && workOf({ name: '', ...exec }, true)?.exitCode !== 0) return false
  const port = (httpGet ?? tcpSocket ?? grpc)?.port
  if (port !== undefined && !listensAt(container, port)) return false
  return kind === 'readiness' || READINESS_PATHS.includes(httpGet?.path) ? process.isReady() : true
}

/** Of a container that names no port nothing is known: it listens at any. */
function listensAt({ env = [], ports = [] }: ContainerSpec, port: number | string): boolean {
  const setPort = env.find(({ name }) => name === 'PORT')?.value
  if (typeof port === 'string') return ports.some(({ name }) => name === port)
  if (setPort !== undefined) return Number(setPort) === port
  return ports.length === 0 || ports.some(({ containerPort }) => containerPort === port)
}
