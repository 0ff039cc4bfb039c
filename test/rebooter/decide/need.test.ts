import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needOf } from '../../../src/rebooter/decide/need.ts'
import type { FileReading, NeedReading } from '../../../src/rebooter/model/need-reading.ts'
import { type NeedSources, needSourcesOf, pathsToRead } from '../../../src/rebooter/model/need-sources.ts'

const AUTO: NeedSources = { of: 'auto', files: [] }
const there = (text: string, isCut = false): FileReading => ({ kind: 'there', text, isCut })
const unknown = (text: string): FileReading => ({ kind: 'unknown', text })

/** A machine whose /run is mounted, where /var/run cannot be followed, and nothing waits for a reboot. */
function machine(
  of: Partial<Omit<NeedReading, 'files'>> & { readonly files?: Record<string, FileReading> },
): NeedReading {
  const { files = {}, ...rest } = of
  const none = pathsToRead(AUTO).map((path): [string, FileReading] => [
    path,
    path.startsWith('/run/') ? { kind: 'absent' } : unknown('/var/run is not mounted'),
  ])
  return {
    families: undefined,
    kernel: '6.1.0-30-amd64',
    kernels: { kind: 'listed', names: ['6.1.0-30-amd64', '6.1.0-28-amd64'] },
    packages: { kind: 'absent' },
    ...rest,
    files: new Map([...none, ...Object.entries(files)]),
  }
}

const debian = (files: Record<string, FileReading> = {}) => machine({ families: ['debian'], files })
const UBUNTU = { families: ['ubuntu', 'debian'], kernel: '5.15.0-91-generic' }
const SLES = { families: ['sles', 'suse'], kernel: '6.4.0-150600.23.7-default' }
const RHEL = { families: ['rhel', 'fedora'], kernel: '5.14.0-427.13.1.el9_4.x86_64' }
const RHEL_KERNELS = { kind: 'listed', names: ['5.14.0-427.el9.x86_64', '5.14.0-427.13.1.el9_4.x86_64'] } as const
const SLES_KERNELS = { kind: 'listed', names: ['6.4.0-150600.21-default', '6.4.0-150600.23.7-default'] } as const

/** What update-notifier's notify-reboot-required writes. */
const RESTART = there('*** System restart required ***\n')
const OTHERS = there('linux-image-5.15.0-100-generic\nlinux-base\nlinux-base\nlibc6\ndbus\nlibssl3\nlinux-firmware\n')

const ROWS: readonly (readonly [string, NeedReading, string])[] = [
  [
    'Debian where nothing waits',
    debian(),
    'False NothingPending: no /run/reboot-required; kernel 6.1.0-30-amd64 is the newest',
  ],
  [
    'Ubuntu after an update of its kernel',
    machine({
      ...UBUNTU,
      kernels: { kind: 'listed', names: ['5.15.0-91-generic', '5.15.0-100-generic'] },
      files: { '/run/reboot-required': RESTART, '/run/reboot-required.pkgs': OTHERS },
    }),
    'True PackagesUpdated: /run/reboot-required is there, for linux-image-5.15.0-100-generic, linux-base, libc6, dbus, libssl3, 1 more; kernel 5.15.0-100-generic is installed, and 5.15.0-91-generic runs',
  ],
  [
    'Debian with the file and no list of packages',
    debian({ '/run/reboot-required': RESTART }),
    'True PackagesUpdated: /run/reboot-required is there',
  ],
  [
    'a list of packages that was cut within a name',
    debian({ '/run/reboot-required': RESTART, '/run/reboot-required.pkgs': there('libc6\nlinux-im', true) }),
    'True PackagesUpdated: /run/reboot-required is there, for libc6, more',
  ],
  [
    'Debian that has a newer kernel and nobody who writes the file',
    machine({ families: ['debian'], kernels: { kind: 'listed', names: ['6.1.0-30-amd64', '6.1.0-31-amd64'] } }),
    'True NewerKernel: kernel 6.1.0-31-amd64 is installed, and 6.1.0-30-amd64 runs',
  ],
  [
    'Debian whose /run is not mounted',
    debian({ '/run/reboot-required': unknown('/run is not mounted') }),
    'Unknown CannotTell: /run/reboot-required cannot be read: /run is not mounted',
  ],
  [
    'Debian whose /var/run alone is mounted',
    debian({ '/run/reboot-required': unknown('/run is not mounted'), '/var/run/reboot-required': { kind: 'absent' } }),
    'False NothingPending: no /var/run/reboot-required; kernel 6.1.0-30-amd64 is the newest',
  ],
  [
    'Debian whose kernels cannot be listed',
    machine({ families: ['debian'], kernels: { kind: 'unknown', text: 'EACCES' } }),
    'Unknown CannotTell: the kernels cannot be listed: EACCES',
  ],
  [
    'Debian whose kernel was built by hand',
    machine({ families: ['debian'], kernel: '6.9.1-custom' }),
    'Unknown CannotTell: no kernel of the flavour of 6.9.1-custom is installed',
  ],
  [
    'a kernel that was removed, of which older ones are left',
    machine({ families: ['debian'], kernels: { kind: 'listed', names: ['6.1.0-28-amd64'] } }),
    'False NothingPending: no /run/reboot-required; kernel 6.1.0-30-amd64 is the newest',
  ],
  [
    'SLES where nothing waits',
    machine({ ...SLES, kernels: SLES_KERNELS }),
    'False NothingPending: no /run/reboot-needed; kernel 6.4.0-150600.23.7-default is the newest',
  ],
  [
    'SLES after libzypp, which leaves an empty file',
    machine({ ...SLES, kernels: SLES_KERNELS, files: { '/run/reboot-needed': there('') } }),
    'True PackagesUpdated: /run/reboot-needed is there',
  ],
  [
    'SL Micro after zypp-boot-plugin',
    machine({ families: ['sl-micro', 'suse'], files: { '/run/reboot-needed': there('soft-reboot\n') } }),
    'True PackagesUpdated: /run/reboot-needed is there, for a soft-reboot',
  ],
  [
    'RHEL 9 where nothing was installed since the boot',
    machine({ ...RHEL, kernels: RHEL_KERNELS, packages: { kind: 'unchanged' } }),
    'False NothingPending: no package was installed since the boot; kernel 5.14.0-427.13.1.el9_4.x86_64 is the newest',
  ],
  [
    'RHEL 9 where packages that need no reboot were installed',
    machine({ ...RHEL, kernels: RHEL_KERNELS, packages: { kind: 'installed', names: [] } }),
    'False NothingPending: no core package was installed since the boot; kernel 5.14.0-427.13.1.el9_4.x86_64 is the newest',
  ],
  [
    'RHEL 9 after an update of glibc and systemd',
    machine({ ...RHEL, kernels: RHEL_KERNELS, packages: { kind: 'installed', names: ['glibc', 'systemd'] } }),
    'True PackagesUpdated: installed since the boot: glibc, systemd',
  ],
  [
    'RHEL 8, whose database only rpm can read',
    machine({ ...RHEL, kernels: RHEL_KERNELS, packages: { kind: 'unknown', text: 'it is Berkeley DB' } }),
    'Unknown CannotTell: it is Berkeley DB',
  ],
  [
    'Azure Linux, whose tools write the file of Debian',
    machine({
      families: ['azurelinux', 'fedora'],
      packages: { kind: 'unchanged' },
      files: { '/run/reboot-required': there('') },
    }),
    'True PackagesUpdated: /run/reboot-required is there',
  ],
  [
    'Fedora CoreOS where nothing waits: its packages and kernels say nothing',
    machine({ families: ['fedora'], packages: { kind: 'unchanged' }, files: { '/run/ostree-booted': there('') } }),
    'False NothingPending: no /run/ostree/staged-deployment',
  ],
  [
    'Fedora CoreOS with a deployment for the next boot',
    machine({
      families: ['fedora'],
      files: { '/run/ostree-booted': there(''), '/run/ostree/staged-deployment': there('\u0000\u0001') },
    }),
    'True PackagesUpdated: /run/ostree/staged-deployment is there',
  ],
  [
    'Flatcar, which no source knows',
    machine({ families: ['flatcar', 'coreos'], kernel: '6.6.48-flatcar' }),
    'Unknown NoSource: no source knows a system with the ID flatcar: name a file with --need-file, or the sources with --need',
  ],
  [
    'a machine whose os-release is not mounted',
    machine({}),
    'Unknown NoSource: /etc/os-release cannot be read: mount it, or name the sources with --need',
  ],
  [
    'hostile text in a list of packages',
    debian({ '/run/reboot-required': RESTART, '/run/reboot-required.pkgs': there('\x1b[2J\n') }),
    'True PackagesUpdated: /run/reboot-required is there, for \\x1b[2J',
  ],
]

const words = ({ status, reason, message }: ReturnType<typeof needOf>) => `${status} ${reason}: ${message}`

for (const [title, reading, expected] of ROWS) {
  test(`the need of ${title}`, () => assert.equal(words(needOf(reading, AUTO)), expected))
}

test('sources that are named count whatever the system is, and a file of the user counts beside them', () => {
  const of = (sources: NeedSources, reading: NeedReading) => words(needOf(reading, sources))
  const flatcar = machine({
    families: ['flatcar'],
    kernel: '6.6.48-flatcar',
    files: { '/run/mine': { kind: 'absent' } },
  })
  assert.equal(of({ of: ['debian'], files: [] }, flatcar), 'False NothingPending: no /run/reboot-required')
  assert.equal(of({ of: [], files: ['/run/mine'] }, flatcar), 'False NothingPending: no /run/mine')
  const mine = machine({ files: { '/run/mine': there('x') } })
  assert.equal(of({ of: ['debian'], files: ['/run/mine'] }, mine), 'True FileFound: /run/mine is there')
  const gone = machine({ files: { '/opt/mine': unknown('/opt is not mounted') } })
  assert.equal(
    of({ of: ['debian'], files: ['/opt/mine'] }, gone),
    'Unknown CannotTell: /opt/mine cannot be read: /opt is not mounted',
  )
  assert.equal(of({ of: ['rpm'], files: [] }, flatcar), 'Unknown CannotTell: no database of rpm is mounted')
})

test('a message that would be very long is cut', () => {
  const names = Array.from({ length: 500 }, (_, i) => `package-${i}`)
  const { message } = needOf(machine({ families: ['rhel'], packages: { kind: 'installed', names } }), AUTO)
  assert.equal(message.length, 803)
})

test('options name the sources, and what is none is refused with the names', () => {
  assert.deepEqual(needSourcesOf('auto', []), { of: 'auto', files: [] })
  assert.deepEqual(needSourcesOf('debian, kernel', ['/opt/x']), { of: ['debian', 'kernel'], files: ['/opt/x'] })
  assert.deepEqual(needSourcesOf('', ['/opt/x']), { of: [], files: ['/opt/x'] })
  assert.throws(() => needSourcesOf('debian,yum', []), /"yum" names no source/)
  assert.throws(() => needSourcesOf('', []), /names no source/)
  for (const path of ['x', '/x/', '/run/../etc/shadow', '/x\n']) {
    assert.throws(() => needSourcesOf('auto', [path]), /is no absolute path of a file/)
  }
})
