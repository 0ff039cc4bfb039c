import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const BIN = fileURLToPath(new URL('../../bin/', import.meta.url))
const USER_ERROR = fileURLToPath(new URL('../../src/ground/model/user-error.ts', import.meta.url))

/** A pod has its service account; whoever reads kubeconfigs weighs ten times as much as all the rest. */
const withoutKubeconfig: Plugin = {
  name: 'without-kubeconfig',
  setup(setup) {
    setup.onLoad({ filter: /[\\/]kubeconfig-credentials\.ts$/ }, () => ({
      loader: 'ts',
      contents: `
        import { UserError } from ${JSON.stringify(USER_ERROR)}
        export const kubeconfigCredentials = () => {
          const fix = 'run it in a pod, by its service account'
          throw new UserError('this program reads no kubeconfig', { code: 'AGENT_OPTIONS', fix })
        }`,
    }))
  },
}

/** Names of the files, and where they begin. */
const ENTRIES = { evenkeel: 'in-cluster', 'evenkeel-rest': 'in-cluster-rest' } as const

/** The first file finds the second one beside it, and reads it where it needs it. */
const restBeside: Plugin = {
  name: 'rest-beside',
  setup(setup) {
    setup.onResolve({ filter: /[\\/]in-cluster-rest\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './evenkeel-rest.cjs', external: true } : undefined,
    )
  },
}

interface Bundle {
  readonly name: string
  readonly content: Buffer
}

/**
 * The files that the image runs, the one that it begins with first. CommonJS: Node 24 starts it in two thirds of the time of a
 * module, and with a quarter less memory. Each of them is whole: none shares a class with the other.
 */
export async function bundlesInCluster(): Promise<readonly [Bundle, Bundle]> {
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(Object.entries(ENTRIES).map(([name, entry]) => [name, `${BIN}${entry}.ts`])),
    outdir: BIN,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node24',
    // `import()` of a file beside would start Node's loader of modules for it.
    supported: { 'dynamic-import': false },
    // Lines and names stay as they are, for what a stack trace says.
    minifySyntax: true,
    legalComments: 'inline',
    plugins: [withoutKubeconfig, restBeside],
  })
  const bundle = (entry: keyof typeof ENTRIES): Bundle => {
    const name = `${entry}.cjs`
    const file = outputFiles.find(({ path }) => path === `${BIN}${name}`)
    if (file === undefined) throw new Error(`the bundler did not make ${name}`)
    return { name, content: Buffer.from(file.contents) }
  }
  return [bundle('evenkeel'), bundle('evenkeel-rest')]
}
