import { fileURLToPath } from 'node:url'
import { run } from '../../testbed/machine/run.ts'

export const CHART = fileURLToPath(new URL('evenkeel', import.meta.url))

/** What is shipped for people without helm: each file of `deploy/` and the values it is made with. */
export const PLAIN: Readonly<Record<string, readonly string[]>> = {
  'agent.yaml': ['exposure=hostNetwork'],
  'agent-hostport.yaml': ['exposure=hostPort'],
  // kubectl delete -f of the definitions would delete all their objects, so they stay in files of their own.
  'evenkeel.yaml': ['controller.enabled=true', 'ingress.enabled=true', 'crds.install=false'],
}

/** As `helm template` makes it for a release `evenkeel-agent` in the namespace `evenkeel`. */
export const plainYaml = (helm: string, values: readonly string[]): Promise<string> =>
  run([helm, 'template', 'evenkeel-agent', CHART, '-n', 'evenkeel', ...values.flatMap((value) => ['--set', value])])
