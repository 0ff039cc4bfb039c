import { spawnSync } from 'node:child_process'
import { chmod, readFile, rm } from 'node:fs/promises'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, type Metafile, type Plugin } from 'esbuild'

/**
 * Bundles dist/: evenkeel.js (checks the version of Node, then loads the rest), evenkeel-main.js with what it loads when
 * a command needs it, probe-process.js, rule-process.js,
 * reboot-machine.js. Another directory may be given: `node bin/build.ts DIR`.
 * One file would be simpler to ship, but to parse all of it takes 100 ms before each help. Only the executable needs one
 * file: `node bin/build.ts --single FILE`. `--list` prints the folders of the npm packages that went into it, as JSON.
 */
const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  options: { single: { type: 'string' }, list: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const dist = positionals[0] ?? `${root}dist`

/** The commit of the sources, with a mark if files differ from it. Unknown outside a clone. */
function commitOfSources(): string {
  const git = (...words: readonly string[]): string => {
    const { status, stdout } = spawnSync('git', ['-C', root, ...words], { encoding: 'utf8' })
    return status === 0 ? stdout.trim() : ''
  }
  const commit = git('rev-parse', '--short=12', 'HEAD')
  if (commit === '') return 'unknown'
  return git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit}-changed`
}

/**
 * The Kubernetes client is used only for its kubeconfig, yet that code names its 1,500 generated modules. They are left out: we
 * use no API object of theirs, and an unknown name fails the build.
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

/** A program of its own is beside the program that starts it: in the bundle all are in one directory. */
const programsBeside: Plugin = {
  name: 'programs-beside',
  setup(setup) {
    setup.onLoad({ filter: /[\\/]bin[\\/].*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const contents = source.replace(
        /'(?:\.{1,2}\/)+(?:demo\/)?(probe-process|rule-process|reboot-machine)\.ts'/g,
        "'./$1.js'",
      )
      return { contents, loader: 'ts' }
    })
  },
}

const shared = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  define: { EVENKEEL_COMMIT: JSON.stringify(commitOfSources()) },
  metafile: true,
} as const

async function buildFolder(folder: string): Promise<Metafile> {
  await rm(folder, { recursive: true, force: true })
  const { metafile } = await build({
    ...shared,
    entryPoints: {
      'evenkeel-main': `${root}bin/evenkeel.ts`,
      'probe-process': `${root}bin/probe-process.ts`,
      'rule-process': `${root}bin/rule-process.ts`,
      'reboot-machine': `${root}bin/demo/reboot-machine.ts`,
      agent: `${root}bin/agent.ts`,
    },
    outdir: folder,
    splitting: true,
    format: 'esm',
    legalComments: 'linked',
    plugins: [withoutGeneratedApi, programsBeside],
    // CommonJS packages in an ESM bundle load Node's own modules by `require`.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
  })
  await build({
    entryPoints: { evenkeel: `${root}bin/launch.ts` },
    outdir: folder,
    platform: 'node',
    format: 'esm',
    target: 'node14',
    banner: { js: '#!/usr/bin/env node' },
  })
  await chmod(`${folder}/evenkeel.js`, 0o755)
  return metafile
}

/** CommonJS, the only form that Node puts into an executable. It has no file, so it must not ask for its path. */
async function buildSingle(outfile: string): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    entryPoints: [`${root}bin/executable.ts`],
    outfile,
    format: 'cjs',
    // `import()` would look for a file; this way each module is a function that runs when it is needed.
    supported: { 'dynamic-import': false },
    define: { ...shared.define, 'import.meta.url': '"file:///"' },
    // Without spaces it is a quarter smaller. Names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    plugins: [withoutGeneratedApi],
  })
  return metafile
}

const { inputs } = await (values.single === undefined ? buildFolder(dist) : buildSingle(values.single))
// The innermost folder: a package may bring its own version of another one.
const folders = Object.keys(inputs).flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [])
if (values.list) process.stdout.write(`${JSON.stringify([...new Set(folders)].toSorted())}\n`)
