-- SPDX-License-Identifier: CC0-1.0
-- Licence CC0, public domain. Written for this project; every person and value is invented.
/*
   Smart meter readings and billing of a small energy supplier.
   Microsoft SQL Server 2016 or later.
*/
IF OBJECT_ID('dbo.Readings', 'U') IS NOT NULL
    DROP TABLE dbo.Readings;
GO

CREATE TABLE dbo.GridAreas
(
    AreaCode    VARCHAR(6)    NOT NULL PRIMARY KEY,
    AreaName    NVARCHAR(60)  NOT NULL,
    Operator    NVARCHAR(60)  NOT NULL
);

CREATE TABLE dbo.Customers
(
    CustomerID   INT IDENTITY(1, 1) PRIMARY KEY,
    CustomerName NVARCHAR(100) NOT NULL,
    CustomerType CHAR(1)       NOT NULL DEFAULT 'H' CHECK (CustomerType IN ('H', 'B')), -- household or business
    Email        VARCHAR(120)  NULL,
    ReferredBy   INT           NULL REFERENCES dbo.Customers (CustomerID)
);

CREATE TABLE dbo.Premises
(
    PremiseID    INT IDENTITY(1, 1) NOT NULL,
    CustomerID   INT           NOT NULL,
    AreaCode     VARCHAR(6)    NOT NULL,
    AddressLine  NVARCHAR(120) NOT NULL,
    FloorArea    DECIMAL(7, 1) NULL,
    HasSolar     BIT           NOT NULL DEFAULT 0,
    CONSTRAINT PK_Premises PRIMARY KEY (PremiseID),
    CONSTRAINT FK_Premises_Customers FOREIGN KEY (CustomerID) REFERENCES dbo.Customers (CustomerID),
    CONSTRAINT FK_Premises_GridAreas FOREIGN KEY (AreaCode) REFERENCES dbo.GridAreas (AreaCode)
);

CREATE TABLE dbo.Meters
(
    SerialNo     VARCHAR(16)  NOT NULL CONSTRAINT PK_Meters PRIMARY KEY CLUSTERED,
    PremiseID    INT          NOT NULL CONSTRAINT FK_Meters_Premises REFERENCES dbo.Premises (PremiseID) ON DELETE CASCADE,
    Commodity    VARCHAR(12)  NOT NULL CONSTRAINT CK_Meters_Commodity CHECK (Commodity IN ('electricity', 'gas', 'heat')),
    InstalledOn  DATE         NOT NULL,
    RemovedOn    DATE         NULL,
    ReplacedBy   VARCHAR(16)  NULL CONSTRAINT FK_Meters_ReplacedBy REFERENCES dbo.Meters (SerialNo)
);

CREATE TABLE dbo.Readings
(
    SerialNo   VARCHAR(16)    NOT NULL,
    ReadAt     DATETIME2(0)   NOT NULL,
    Register   TINYINT        NOT NULL DEFAULT 1,
    KwhTotal   DECIMAL(12, 3) NOT NULL,
    Quality    VARCHAR(10)    NOT NULL DEFAULT 'measured',
    CONSTRAINT PK_Readings PRIMARY KEY CLUSTERED (SerialNo, ReadAt DESC, Register),
    CONSTRAINT FK_Readings_Meters FOREIGN KEY (SerialNo) REFERENCES dbo.Meters (SerialNo),
    CONSTRAINT CK_Readings_Quality CHECK (Quality IN ('measured', 'estimated', 'corrected')),
    CONSTRAINT CK_Readings_NotNegative CHECK (KwhTotal >= 0)
);

CREATE TABLE dbo.Tariffs
(
    TariffID      INT IDENTITY PRIMARY KEY,
    TariffName    NVARCHAR(50)  NOT NULL UNIQUE,
    UnitRate      DECIMAL(8, 5) NOT NULL,
    StandingCharge DECIMAL(6, 2) NOT NULL DEFAULT (0.30),
    IsGreen       BIT NOT NULL DEFAULT ((0))
);

CREATE TABLE dbo.Contracts
(
    ContractID  INT IDENTITY(500, 1) NOT NULL PRIMARY KEY,
    PremiseID   INT  NOT NULL FOREIGN KEY REFERENCES dbo.Premises (PremiseID),
    TariffID    INT  NOT NULL FOREIGN KEY REFERENCES dbo.Tariffs (TariffID),
    StartsOn    DATE NOT NULL,
    EndsOn      DATE NULL,
    SignedAt    DATETIME NOT NULL DEFAULT GETDATE(),
    CONSTRAINT UQ_Contracts_Premise_Start UNIQUE (PremiseID, StartsOn)
);

CREATE TABLE dbo.Bills
(
    BillNo      INT IDENTITY(1, 1) PRIMARY KEY,
    ContractID  INT NOT NULL,
    PeriodStart DATE NOT NULL,
    PeriodEnd   DATE NOT NULL,
    KwhBilled   DECIMAL(10, 3) NOT NULL,
    AmountDue   MONEY NOT NULL,
    PaidOn      DATE NULL
);
GO

ALTER TABLE dbo.Bills WITH CHECK ADD CONSTRAINT FK_Bills_Contracts FOREIGN KEY (ContractID)
    REFERENCES dbo.Contracts (ContractID)
GO
ALTER TABLE dbo.Bills ADD CONSTRAINT CK_Bills_Period CHECK (PeriodEnd > PeriodStart)
GO

INSERT INTO dbo.GridAreas (AreaCode, AreaName, Operator)
VALUES ('NTH', 'Northshire', 'Northshire Networks'), ('EST', 'East Valley', 'Valley Grid'), ('CTY', 'City', 'Valley Grid');
GO
SET IDENTITY_INSERT dbo.Customers ON;
INSERT INTO dbo.Customers (CustomerID, CustomerName, CustomerType, Email, ReferredBy) VALUES
(1, N'Bakkerij De Zonnehoek', 'B', 'kantoor@zonnehoek.example.com', NULL),
(2, N'Rosalind Farthing', 'H', 'r.farthing@example.com', NULL),
(3, N'Idris Pennington', 'H', NULL, 2),
(4, N'Valley Swim Club', 'B', 'treasurer@swim.example.org', 2);
SET IDENTITY_INSERT dbo.Customers OFF;
GO
SET IDENTITY_INSERT dbo.Premises ON;
INSERT INTO dbo.Premises (PremiseID, CustomerID, AreaCode, AddressLine, FloorArea, HasSolar) VALUES
(1, 1, 'CTY', N'14 Baker Row', 210.0, 0),
(2, 2, 'NTH', N'3 Larch Close', 96.5, 1),
(3, 3, 'NTH', N'5 Larch Close', 88.0, 0),
(4, 4, 'EST', N'Pool House, Weir Road', 1240.0, 1);
SET IDENTITY_INSERT dbo.Premises OFF;
GO
INSERT INTO dbo.Meters (SerialNo, PremiseID, Commodity, InstalledOn, RemovedOn, ReplacedBy) VALUES
('E-88120455', 1, 'electricity', '2019-03-04', NULL, NULL),
('G-10044871', 1, 'gas', '2015-10-19', NULL, NULL),
('E-88130020', 2, 'electricity', '2020-07-22', NULL, NULL),
('E-88130021', 3, 'electricity', '2020-07-22', NULL, NULL),
('E-71000312', 4, 'electricity', '2008-05-30', '2023-01-09', 'E-90000001'),
('E-90000001', 4, 'electricity', '2023-01-09', NULL, NULL);
GO
INSERT INTO dbo.Readings (SerialNo, ReadAt, Register, KwhTotal, Quality) VALUES
('E-88120455', '2024-01-01T00:00:00', 1, 48210.125, 'measured'),
('E-88120455', '2024-02-01T00:00:00', 1, 50144.900, 'measured'),
('G-10044871', '2024-01-01T00:00:00', 1, 120030.000, 'estimated'),
('E-88130020', '2024-01-01T00:00:00', 1, 7411.300, 'measured'),
('E-88130020', '2024-01-01T00:00:00', 2, 2950.750, 'measured'),
('E-88130020', '2024-02-01T00:00:00', 1, 7698.010, 'corrected'),
('E-88130021', '2024-01-01T00:00:00', 1, 9120.000, 'measured'),
('E-90000001', '2024-02-01T00:00:00', 1, 39877.480, 'measured');
GO
SET IDENTITY_INSERT dbo.Tariffs ON;
INSERT INTO dbo.Tariffs (TariffID, TariffName, UnitRate, StandingCharge, IsGreen) VALUES
(1, N'Standard Variable', 0.28210, 0.45, 0),
(2, N'Green Fixed 12', 0.26400, 0.40, 1),
(3, N'Business Day/Night', 0.23985, 1.10, 0);
SET IDENTITY_INSERT dbo.Tariffs OFF;
GO
SET IDENTITY_INSERT dbo.Contracts ON;
INSERT INTO dbo.Contracts (ContractID, PremiseID, TariffID, StartsOn, EndsOn, SignedAt) VALUES
(500, 1, 3, '2023-01-01', NULL, '2022-12-12T15:20:00'),
(501, 2, 2, '2023-09-01', '2024-08-31', '2023-08-19T09:05:00'),
(502, 3, 1, '2022-05-01', NULL, '2022-04-28T18:44:00'),
(503, 4, 3, '2023-04-01', NULL, '2023-03-15T12:00:00');
SET IDENTITY_INSERT dbo.Contracts OFF;
GO
INSERT INTO dbo.Bills (ContractID, PeriodStart, PeriodEnd, KwhBilled, AmountDue, PaidOn) VALUES
(500, '2024-01-01', '2024-01-31', 1934.775, 497.06, '2024-02-14'),
(501, '2024-01-01', '2024-01-31', 286.710, 87.69, NULL),
(502, '2023-12-01', '2023-12-31', 240.000, 81.20, '2024-01-20');
GO
