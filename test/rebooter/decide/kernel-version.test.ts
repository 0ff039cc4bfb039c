import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareVersions, kernelName } from '../../../src/rebooter/decide/kernel-version.ts'

/** Names of kernels as the distributions give them, from the oldest to the newest of one flavour. */
const ORDERED: Readonly<Record<string, readonly string[]>> = {
  'Debian 11': ['5.10.0-8-amd64', '5.10.0-9-amd64', '5.10.0-28-amd64', '5.10.0-30-amd64'],
  'Debian 12': ['6.1.0-9-amd64', '6.1.0-18-amd64', '6.1.0-30-amd64', '6.1.0-37-amd64'],
  'Debian 13': ['6.12.9+deb13-amd64', '6.12.41+deb13-amd64', '6.12.43+deb13-amd64', '6.12.43+deb13+1-amd64'],
  'Debian backports': ['6.1.0-0.deb11.5-amd64', '6.1.0-0.deb11.13-amd64', '6.1.0-0.deb11.22-amd64'],
  'Debian backports, cloud': ['5.10.0-0.bpo.15-cloud-amd64', '5.10.0-0.deb10.16-cloud-amd64', '5.10.0-28-cloud-amd64'],
  'Debian experimental': ['6.10-rc7-amd64', '6.10-amd64', '6.10.3-amd64', '6.10.11-amd64'],
  'Ubuntu 22.04': ['5.15.0-91-generic', '5.15.0-100-generic', '5.15.0-119-generic', '6.8.0-40-generic'],
  'Ubuntu on AWS': ['6.8.0-1008-aws', '6.8.0-1019-aws', '6.8.0-1021-aws'],
  'Ubuntu on Azure': ['5.15.0-1061-azure', '5.15.0-1074-azure', '6.8.0-1015-azure'],
  'RHEL 9': [
    '5.14.0-427.el9.x86_64',
    '5.14.0-427.13.1.el9_4.x86_64',
    '5.14.0-427.40.1.el9_4.x86_64',
    '5.14.0-503.11.1.el9_5.x86_64',
  ],
  'RHEL 8': ['4.18.0-553.el8_10.x86_64', '4.18.0-553.5.1.el8_10.x86_64', '4.18.0-553.22.1.el8_10.x86_64'],
  'RHEL 7': ['3.10.0-957.el7.x86_64', '3.10.0-1160.el7.x86_64', '3.10.0-1160.119.1.el7.x86_64'],
  'RHEL for real time': ['5.14.0-427.13.1.el9_4.x86_64+rt', '5.14.0-427.40.1.el9_4.x86_64+rt'],
  Fedora: ['6.9.12-200.fc40.x86_64', '6.10.3-200.fc40.x86_64', '6.10.12-200.fc40.x86_64', '6.10.12-200.fc41.x86_64'],
  'Oracle UEK': ['5.15.0-209.161.7.2.el9uek.x86_64', '5.15.0-300.163.18.el9uek.x86_64'],
  'Amazon Linux 2': ['5.10.220-209.869.amzn2.x86_64', '5.10.223-212.873.amzn2.x86_64'],
  'Amazon Linux 2023': ['6.1.109-118.189.amzn2023.x86_64', '6.1.112-122.189.amzn2023.x86_64'],
  'Azure Linux': ['6.6.47.1-1.azl3', '6.6.51.1-1.azl3', '6.6.51.1-5.azl3', '6.6.57.1-2.azl3'],
  'SLES 15': ['6.4.0-150600.21-default', '6.4.0-150600.23.7-default', '6.4.0-150600.23.25-default'],
  'SLES 12': ['4.12.14-122.37-default', '4.12.14-122.219-default'],
  Tumbleweed: ['6.10.5-1-default', '6.10.11-1-default', '6.11.0-1-default'],
  Proxmox: ['6.8.4-2-pve', '6.8.8-4-pve', '6.8.12-2-pve'],
  Arch: ['6.10.3-arch1-1', '6.10.3-arch1-2', '6.10.10-arch1-1'],
  'Arch, LTS': ['6.6.44-1-lts', '6.6.52-1-lts'],
  'Raspberry Pi': ['6.6.31+rpt-rpi-v8', '6.6.51+rpt-rpi-v8', '6.12.25+rpt-rpi-v8'],
  Alpine: ['6.6.9-0-lts', '6.6.49-0-lts'],
  Flatcar: ['6.6.48-flatcar', '6.6.54-flatcar'],
}

for (const [system, names] of Object.entries(ORDERED)) {
  test(`the kernels of ${system} are of one flavour, and in the order in which they came`, () => {
    assert.equal(new Set(names.map((name) => kernelName(name).flavour)).size, 1)
    const order = (one: string, other: string) => compareVersions(kernelName(one).version, kernelName(other).version)
    for (const [i, older] of names.entries()) {
      assert.equal(order(older, older), 0)
      for (const newer of names.slice(i + 1)) {
        assert.ok(order(newer, older) > 0, `${newer} is newer than ${older}`)
        assert.ok(order(older, newer) < 0, `${older} is older than ${newer}`)
      }
    }
  })
}

test('kernels that a machine does not change between are of different flavours', () => {
  const names = [
    ...['6.1.0-30-amd64', '6.1.0-30-cloud-amd64', '6.1.0-30-rt-amd64', '6.1.0-30-arm64'],
    ...['5.15.0-119-generic', '5.15.0-119-lowlatency', '5.15.0-1061-azure', '5.15.0-1061-azure-fde'],
    ...['5.14.0-427.el9.x86_64', '5.14.0-427.el9.aarch64', '5.14.0-427.el9.x86_64+rt', '5.14.0-427.el9.x86_64+debug'],
    ...['5.15.0-209.161.7.2.el9uek.x86_64', '4.18.0-553.rt7.342.el8_10.x86_64'],
    ...['6.10.3-arch1-1', '6.6.44-1-lts', '6.10.3-zen1-1-zen', '6.4.0-150600.21-default', '6.4.0-150600.21-rt'],
  ]
  assert.deepEqual(
    names.map((name) => kernelName(name).flavour),
    [
      ...['amd64', 'cloud-amd64', 'rt-amd64', 'arm64'],
      ...['generic', 'lowlatency', 'azure', 'azure-fde'],
      ...['x86_64', 'aarch64', 'x86_64+rt', 'x86_64+debug'],
      ...['x86_64 eluek', 'x86_64 rt'],
      ...['', 'lts', 'zen', 'default', 'rt'],
    ],
  )
})

test('versions are compared as rpmvercmp compares them', () => {
  const rows: readonly (readonly [string, string, -1 | 0 | 1])[] = [
    ['1.0', '1.0', 0],
    ['1.0', '2.0', -1],
    ['2.0.1a', '2.0.1', 1],
    ['5.5p1', '5.5p2', -1],
    ['5.5p10', '5.5p1', 1],
    ['10xyz', '10.1xyz', -1],
    ['xyz10', 'xyz10.1', -1],
    ['xyz.4', '8', -1],
    ['5.6p1', '6.5p1', -1],
    ['6.0.rc1', '6.0', 1],
    ['10b2', '10a1', 1],
    ['1.0aa', '1.0a', 1],
    ['10.0001', '10.0039', -1],
    ['4.999.9', '5.0', -1],
    ['20101121', '20101122', -1],
    ['2_0', '2.0', 0],
    ['1.0~rc1', '1.0', -1],
    ['1.0~rc1', '1.0~rc2', -1],
    ['1.0~rc1~git123', '1.0~rc1', -1],
    ['00012', '12', 0],
  ]
  for (const [one, other, expected] of rows) {
    assert.equal(Math.sign(compareVersions(one, other)), expected, `${one} and ${other}`)
    assert.equal(Math.sign(compareVersions(other, one)), 0 - expected, `${other} and ${one}`)
  }
})
