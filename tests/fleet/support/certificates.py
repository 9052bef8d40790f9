# SPDX-License-Identifier: Apache-2.0
"""Certificates for one test, made by the openssl command."""
import subprocess
from pathlib import Path

CONFIG = """[ca]
default_ca = own
[own]
database = {folder}/{name}.index
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = none
unique_subject = no
[any]
commonName = supplied
[req]
distinguished_name = empty
[empty]
"""


class Authority:
    """NAME.pem and NAME.key in the folder; issue() puts others beside them."""

    def __init__(self, folder, name):
        self.folder, self.name = Path(folder), name
        self.folder.mkdir(exist_ok=True)
        (self.folder / f"{name}.index").write_text("")
        self.config = self.folder / f"{name}.cnf"
        self.config.write_text(CONFIG.format(folder=folder, name=name))
        self.run("req", "-x509", *self.new_key(name), "-days", "30", "-subj", f"/CN=test {name}",
                 "-addext", "basicConstraints=critical,CA:TRUE", "-out", f"{name}.pem")

    def run(self, command, *words):
        subprocess.run(["openssl", command, "-config", self.config, *words], cwd=self.folder,
                       check=True, capture_output=True)

    @staticmethod
    def new_key(name):
        return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                f"{name}.key")

    def issue(self, name, also, purpose, end="20991231235959Z"):
        """`also`: its subjectAltName."""
        (self.folder / f"{name}.ext").write_text(
            f"subjectAltName = {also}\nextendedKeyUsage = {purpose}\n")
        self.run("req", *self.new_key(name), "-subj", f"/CN={name}", "-out", f"{name}.csr")
        self.run("ca", "-batch", "-notext", "-cert", f"{self.name}.pem", "-keyfile",
                 f"{self.name}.key", "-startdate", "20190101000000Z", "-enddate", end, "-extfile",
                 f"{name}.ext", "-in", f"{name}.csr", "-out", f"{name}.pem")
