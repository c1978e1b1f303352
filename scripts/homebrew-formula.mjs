// The Homebrew formula of a release. It installs the archive that requires Node.js, with man pages and completions.

/** Returns the text of `svc.rb` for an archive below the base address of the releases. */
export function homebrewFormula({ version, base, archive, sha256, description, homepage }) {
  const page = homepage ?? base;
  return `# Written by npm run release. Do not edit.
class Svc < Formula
  desc ${JSON.stringify(description)}
  homepage ${JSON.stringify(page)}
  url ${JSON.stringify(`${base}/v${version}/${archive}`)}
  version ${JSON.stringify(version)}
  sha256 ${JSON.stringify(sha256)}
  license "MIT"

  depends_on "node"

  def install
    libexec.install Dir["*"]
    chmod 0755, libexec/"dist/svc.js"
    bin.install_symlink libexec/"dist/svc.js" => "svc"
    man1.install Dir[libexec/"dist/man/*.1"]
    generate_completions_from_executable(bin/"svc", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/svc --version")
  end
end
`;
}
