import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { run } from '../../testbed/machine/run.ts'
import { bundled, ROOT } from './release-facts.ts'
import { thirdPartyLicenses } from './third-party-licenses.ts'

/** The npm package: what `bin/build.ts` makes, without dependencies. Answers with the name of its tarball in `out`. */
export async function npmPackage(out: string, work: string): Promise<string> {
  const folder = join(work, 'package')
  mkdirSync(folder, { recursive: true })
  const packages = await bundled([join(folder, 'dist')])
  // A DaemonSet has it in the image; here `evenkeel agent` is the same.
  rmSync(join(folder, 'dist', 'agent.js'))
  const { name, version, description, license, type, engines } = manifest
  const bin = { evenkeel: 'dist/evenkeel.js' }
  const keywords = ['kubernetes', 'reboot', 'rolling-restart', 'haproxy', 'load-balancer', 'drain']
  const own = { name, version, description, keywords, license, type, engines, bin, files: ['dist', '*.md', '*.txt'] }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(own, undefined, 2)}\n`)
  for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) copyFileSync(`${ROOT}${file}`, join(folder, file))
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), thirdPartyLicenses(packages))
  await run(['npm', 'pack', folder, '--pack-destination', out, '--offline'])
  return `${name}-${version}.tgz`
}
