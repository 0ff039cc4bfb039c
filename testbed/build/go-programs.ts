import { join } from 'node:path'
import { run } from '../machine/run.ts'
import { kubernetesVersion, sourceFolder } from './source-hash.ts'

interface GoProgram {
  readonly name: string
  /** The module's folder and the package in it. */
  readonly module: string
  readonly package: string
}

const PROGRAMS: readonly GoProgram[] = [
  { name: 'kube', module: 'go/kube', package: '.' },
  { name: 'coredns', module: 'go/coredns', package: '.' },
  { name: 'nodecheck', module: 'go/nodecheck', package: '.' },
  { name: 'app', module: 'apps', package: './app' },
  { name: 'pause', module: 'apps', package: './pause' },
  { name: 'power', module: 'apps', package: './power' },
  { name: 'helm', module: 'go/helm', package: '.' },
]

/** Builds every program into a folder, one after the other: the linker of the largest wants the memory for itself. */
export async function buildPrograms(folder: string, say: (line: string) => void): Promise<void> {
  for (const program of PROGRAMS) {
    say(`building ${program.name}`)
    const flags = ['-trimpath', '-buildvcs=false', '-ldflags', linkerFlags(program)]
    await run(['go', 'build', ...flags, '-o', join(folder, program.name), program.package], {
      cwd: join(sourceFolder, program.module),
      env: { CGO_ENABLED: '0' },
    })
  }
}

/** Without its version a component calls itself v0.0.0, and clients hold it for older than any skew they allow. */
function linkerFlags(program: GoProgram): string {
  if (program.name !== 'kube') return '-s -w'
  const version = kubernetesVersion()
  const [major = '', minor = ''] = version.slice(1).split('.')
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor }
  return [
    '-s -w',
    ...Object.entries(values).map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`),
  ].join(' ')
}
