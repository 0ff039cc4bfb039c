/**
 * Makes everything that people install, in dist/release: `npm run release -- [--base-url URL] [--builder URI] [--changed]`.
 * `--base-url` is where the files will be fetched from; `--changed` allows files that differ from the commit.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { makeRelease } from './make-release.ts'
import { nodeLicense } from './node-program.ts'
import { hasChanges, ROOT, releaseFacts } from './release-facts.ts'

function refuse(what: string, fix: string): never {
  process.stderr.write(`error: ${what}\n  = fix: ${fix}\n`)
  process.exit(2)
}

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    builder: { type: 'string', default: 'https://evenkeel.dev/build/by-hand' },
    changed: { type: 'boolean', default: false },
  },
})
const facts = await releaseFacts()
if (facts.isChanged && !values.changed)
  refuse('files differ from the commit that the release would name', 'commit them, or try it with --changed')
if (!hasChanges(facts.version))
  refuse(`CHANGELOG.md has no section for ${facts.version}`, `write one that begins with "## [${facts.version}]"`)

const out = join(ROOT, 'dist', 'release')
const baseUrl = values['base-url'] ?? `https://evenkeel.dev/releases/v${facts.version}`
await makeRelease({
  facts,
  out,
  baseUrl,
  builder: values.builder,
  arches: ['x64', 'arm64'],
  nodeLicense: await nodeLicense('arm64'),
  gzipLevel: 9,
})
for (const name of readdirSync(out)) {
  const { size } = statSync(join(out, name))
  process.stdout.write(`${(size / 1e6).toFixed(1).padStart(6)} MB  ${name}\n`)
}
