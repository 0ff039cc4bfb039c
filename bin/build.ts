import { chmod, readFile, rm } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

/**
 * Bundles dist/: evenkeel.js (checks the version of Node, then loads the rest), evenkeel-main.js with what it loads when
 * a command needs it, probe-process.js, reboot-machine.js. Another directory may be given: `node bin/build.ts DIR`.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const dist = process.argv[2] ?? `${root}dist`

/**
 * The Kubernetes client is used for its kubeconfig alone, yet that code names its 1,500 generated modules. They are left
 * out: nothing of ours makes an API object of theirs, and a name that is not here fails the build.
 */
const withoutGeneratedApi: Plugin = {
  name: 'without-generated-api',
  setup(setup) {
    setup.onResolve({ filter: /\/gen\/index\.js$/ }, ({ importer }) =>
      importer.includes('client-node/dist/') ? { path: 'generated-api', namespace: 'left-out' } : undefined,
    )
    setup.onLoad({ filter: /.*/, namespace: 'left-out' }, () => ({
      contents: `
        export class ServerConfiguration {}
        export const createConfiguration = () => { throw new Error('the generated API is left out of this bundle') }`,
    }))
  },
}

/** Programs of their own are found beside whoever starts them: in the bundle all lie in one directory. */
const programsBeside: Plugin = {
  name: 'programs-beside',
  setup(setup) {
    setup.onLoad({ filter: /[\\/]bin[\\/].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const contents = source.replace(/'(?:\.{1,2}\/)+(probe-process|reboot-machine)\.ts'/g, "'./$1.js'")
      return { contents, loader: 'ts' }
    })
  },
}

await rm(dist, { recursive: true, force: true })
await build({
  entryPoints: {
    'evenkeel-main': `${root}bin/evenkeel.ts`,
    'probe-process': `${root}bin/probe-process.ts`,
    'reboot-machine': `${root}bin/demo/reboot-machine.ts`,
    agent: `${root}bin/agent.ts`,
  },
  outdir: dist,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  legalComments: 'linked',
  plugins: [withoutGeneratedApi, programsBeside],
  // CommonJS packages in an ESM bundle ask for Node's own modules by `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
})
await build({
  entryPoints: { evenkeel: `${root}bin/launch.ts` },
  outdir: dist,
  platform: 'node',
  format: 'esm',
  target: 'node14',
  banner: { js: '#!/usr/bin/env node' },
})
await chmod(`${dist}/evenkeel.js`, 0o755)
